pitwall top --colour
