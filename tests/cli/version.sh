# The number and the commit change, their form does not; a build without git has no commit.
pitwall --version | sed -E "s/[0-9]+(\.[0-9]+)+/N/; s/ \([0-9a-f]{7,40}(-dirty)?\)$//"
