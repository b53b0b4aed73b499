pitwall doctor --help
