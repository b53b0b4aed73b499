# Nothing was ever written to it.
: >empty.pit
pitwall report empty.pit
