/* place_words.h: how the name of a native place is put together. */
#ifndef PIT_PLACE_WORDS_H
#define PIT_PLACE_WORDS_H

/* "decay calling exp": a function of the program, and the function of libc or libm that it had called. */
#define PIT__CALLING " calling "
/* After a Python function's name: an import is under way in it. python/py_stack.c adds it. */
#define PIT__IMPORTING ", importing"

#endif
