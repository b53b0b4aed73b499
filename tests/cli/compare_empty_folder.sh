mkdir empty
pitwall compare empty empty
