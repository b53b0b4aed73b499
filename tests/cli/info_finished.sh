cp "$CLI_CASES/../data/finished.pit" run.pit
TZ=UTC pitwall info run.pit --width 80
