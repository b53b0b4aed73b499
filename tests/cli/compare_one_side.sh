# One run has nothing to be compared with.
pitwall compare "$CLI_CASES/../data/finished.pit"
