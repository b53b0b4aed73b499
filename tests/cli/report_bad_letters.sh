pitwall report run.pit -xy
