pitwall log --width 3 a.log
