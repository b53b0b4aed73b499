/* file_text.h: small files of the kernel, read whole, and the numbers in them. Nothing is allocated. */
#ifndef PIT_FILE_TEXT_H
#define PIT_FILE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define PIT__UNKNOWN UINT64_MAX

/* Open: a descriptor or -1. Read from its start: 1 if there is text. Close it. */
int pit__file_open(const char *path);
int pit__file_read(int fd, char *text, size_t room);
void pit__file_close(int fd);

/* Read a file once: 1 if there is text, else errno gives the reason. */
int pit__file_text(const char *path, char *text, size_t room);

/* Unsigned decimals: at the start of a text; after `key` in it; in a file. Or PIT__UNKNOWN. */
uint64_t pit__number_at(const char *text);
uint64_t pit__number_after(const char *text, const char *key);
uint64_t pit__number_in(const char *path);

#endif
