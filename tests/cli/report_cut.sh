# The magic of a run and nothing else.
printf "PITWALL\032" >cut.pit
pitwall report cut.pit
