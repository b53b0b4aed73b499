pitwall help list
