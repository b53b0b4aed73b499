pitwall info missing.pit
