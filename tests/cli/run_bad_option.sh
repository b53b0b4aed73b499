pitwall run --label a=b -- true
