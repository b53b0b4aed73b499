pitwall top a b
