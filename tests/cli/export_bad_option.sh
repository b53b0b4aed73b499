pitwall export --colour run.pit
