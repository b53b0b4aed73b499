pitwall serve --help
