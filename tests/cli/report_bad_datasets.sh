pitwall report --datasets 0 run.pit
