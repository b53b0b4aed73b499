pitwall compare a b --effect none
