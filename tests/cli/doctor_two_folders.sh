pitwall doctor a b
