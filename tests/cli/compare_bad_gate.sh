pitwall compare a b --fail-on slower:5
