pitwall run -- sh -c 'exit 7'
