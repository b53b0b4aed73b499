"""Converts records with a tool that is started for each of them."""

import subprocess

import pitwall

SCRIPT = "BEGIN { for (i = 0; i < 900000; i++) s += sqrt(i); print s }"
total = 0.0
for _ in range(30):
    with pitwall.span("record"):
        with pitwall.span("convert"):
            text = subprocess.run(["awk", SCRIPT], stdout=subprocess.PIPE, check=True).stdout
        with pitwall.span("add"):
            total += float(text)
print(total)
