pitwall run --help
