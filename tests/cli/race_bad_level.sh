pitwall race --level 5 true true
