pitwall report --help >/dev/full
