pitwall export run.pit --format xml
