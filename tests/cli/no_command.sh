# Without a command the help is talk, not data.
pitwall
