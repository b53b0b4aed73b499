# The list of commands.
pitwall --help
