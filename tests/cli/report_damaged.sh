# The length of the first block is not a multiple of 64.
"$PITWALL_BUILD/tests/prog_place" open=run.pit nodes=3 close >/dev/null
printf "\001" | dd of=run.pit bs=1 seek=4104 conv=notrunc status=none
pitwall report run.pit
