# Not wrong, but no verdict: it says why, in a CSV's place on standard error.
run=$CLI_CASES/../data/finished.pit
pitwall report "$run" --view sweep
echo "status $?"
pitwall report "$run" --view sweep --csv
