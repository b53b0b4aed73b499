pitwall log --xml a.log
