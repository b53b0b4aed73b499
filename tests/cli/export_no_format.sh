pitwall export run.pit
