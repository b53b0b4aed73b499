pitwall run --lable a=b -- true
