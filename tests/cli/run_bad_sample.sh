pitwall run --sample often -- true
