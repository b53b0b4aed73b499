echo hello | pitwall log -
