# The number changes, its form does not.
pitwall --version | sed -E "s/[0-9]+(\.[0-9]+)+/N/"
