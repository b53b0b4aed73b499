pitwall report ''
