pitwall top missing.pit
