pitwall report --help
