pitwall scale -P n=1,2,3 true
