pitwall repotr run.pit
