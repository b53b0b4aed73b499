pitwall compare --help
