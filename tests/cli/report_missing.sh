pitwall report missing.pit
