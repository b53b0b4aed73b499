pitwall report --view convergence --threshold low run.pit
