pitwall info --csv run.pit
