pitwall scale --rounds 1 -P n=1,2 'true {n}'
