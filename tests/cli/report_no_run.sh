seq 1 2000 >numbers.pit
pitwall report numbers.pit
