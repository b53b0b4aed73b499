mkdir runs
pitwall report runs
