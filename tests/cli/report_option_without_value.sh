pitwall report run.pit --depth
