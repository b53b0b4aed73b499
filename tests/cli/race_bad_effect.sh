pitwall race --effect 0 true true
