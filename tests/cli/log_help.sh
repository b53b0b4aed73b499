pitwall log --help
