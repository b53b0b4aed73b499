pitwall recover missing.pit
