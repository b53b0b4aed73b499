pitwall top --interval 0
