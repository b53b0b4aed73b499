pitwall report --view sweep --threshold low run.pit
