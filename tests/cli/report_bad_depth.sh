pitwall report --depth 1.5 run.pit
