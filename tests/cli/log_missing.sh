pitwall log missing.log
