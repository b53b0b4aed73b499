pitwall scale -P n=8..1 'true {n}'
