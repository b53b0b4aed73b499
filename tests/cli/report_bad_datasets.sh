pitwall report --view timing-summary --datasets -1 run.pit
