pitwall log
