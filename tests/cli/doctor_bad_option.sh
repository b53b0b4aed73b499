pitwall doctor --fix
