pitwall compare a b --fast
