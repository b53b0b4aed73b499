pitwall recover --help
