pitwall run --sample-stacks 101 -- true
