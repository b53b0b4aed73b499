# A run of a format that does not exist yet.
"$PITWALL_BUILD/tests/prog_place" open=run.pit nodes=3 close >/dev/null
printf "\011" | dd of=run.pit bs=1 seek=8 conv=notrunc status=none
pitwall report run.pit
