pitwall race -P n=1,2 true
