printf "[TIMING] load: 4.00s\n" >a.log
printf "[TIMING] load: 3.00s\n[TIMING] save: 1.00s\n" >b.log
pitwall log a.log b.log
