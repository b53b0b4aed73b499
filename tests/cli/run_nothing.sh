pitwall run
