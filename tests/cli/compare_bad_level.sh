pitwall compare a b --level 1.5
