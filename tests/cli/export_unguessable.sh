pitwall export run.pit -o run.txt
