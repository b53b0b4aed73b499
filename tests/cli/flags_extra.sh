pitwall --cflags run.pit
