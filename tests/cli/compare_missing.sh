pitwall compare missing.pit "$CLI_CASES/../data/finished.pit"
