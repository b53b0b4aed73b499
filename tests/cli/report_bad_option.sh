pitwall report --colour run.pit
