pitwall info --help
