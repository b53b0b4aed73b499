pitwall report --sort speed run.pit
