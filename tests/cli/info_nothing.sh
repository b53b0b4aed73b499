pitwall info
