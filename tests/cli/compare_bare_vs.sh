pitwall compare vs b.pit
