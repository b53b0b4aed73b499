pitwall top --help
