pitwall --verbose
