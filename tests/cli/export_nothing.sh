pitwall export
