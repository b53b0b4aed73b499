ln -s "$CLI_CASES/../data/finished.pit" run.pit
pitwall compare run.pit run.pit > /dev/full
