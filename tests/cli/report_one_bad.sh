# What can be read is reported.
"$PITWALL_BUILD/tests/prog_place" open=good.pit spans=step:7 close >/dev/null
pitwall report --json missing.pit good.pit | grep '^      "count"'
exit "${PIPESTATUS[0]}"
