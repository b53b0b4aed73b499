pitwall report
