pitwall report --view time run.pit
