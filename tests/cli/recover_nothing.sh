# A run that was mapped in place needs nothing.
"$PITWALL_BUILD/tests/prog_place" open=run.pit nodes=3 close >/dev/null
pitwall recover run.pit
