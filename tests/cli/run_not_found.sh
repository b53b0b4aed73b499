pitwall run -- no-such-program-here
