pitwall export run.pit --format
