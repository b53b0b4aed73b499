pitwall list --help
