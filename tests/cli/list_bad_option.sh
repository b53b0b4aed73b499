pitwall list --colour
