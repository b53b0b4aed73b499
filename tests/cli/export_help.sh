pitwall export --help
