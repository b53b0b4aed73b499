# Nothing to look at is not a pass.
ln -s "$CLI_CASES/../data/finished.pit" run.pit
pitwall diff run.pit run.pit --node "wall time" --fail-on slower:5%@nowhere
