pitwall list --state dead
