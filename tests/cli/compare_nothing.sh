pitwall compare
