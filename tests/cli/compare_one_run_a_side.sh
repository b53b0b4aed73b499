# The same run on both sides: figures, and no verdict.
ln -s "$CLI_CASES/../data/finished.pit" run.pit
pitwall compare run.pit run.pit --node "wall time"
