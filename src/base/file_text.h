/* file_text.h: small files of the kernel, read whole, and the numbers in them. Nothing is allocated. */
#ifndef PIT_FILE_TEXT_H
#define PIT_FILE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define PIT__UNKNOWN UINT64_MAX

/* Open returns a descriptor or -1. Read reads from the start and returns 1 if there is text. */
int pit__file_open(const char *path);
int pit__file_read(int fd, char *text, size_t room);
void pit__file_close(int fd);

/* Read a file once. Returns 1 if there is text, else errno gives the reason. */
int pit__file_text(const char *path, char *text, size_t room);

/* Read an unsigned decimal number: at the start of a text, after `key` in a text, or from a file. Returns
 * PIT__UNKNOWN if there is none. */
uint64_t pit__number_at(const char *text);
uint64_t pit__number_after(const char *text, const char *key);
uint64_t pit__number_in(const char *path);

#endif
