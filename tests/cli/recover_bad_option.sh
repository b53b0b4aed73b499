pitwall recover --all
