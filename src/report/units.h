/* units.h: human-readable figures. Independent of runs.
 *
 * Every function writes a short text into `out` (at least PIT__UNIT_BYTES) and returns it.
 * Figures that are not finite are written as "n/a". The decimal sign is a point in every locale. */
#ifndef PIT_UNITS_H
#define PIT_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define PIT__UNIT_BYTES 40

/* 950 ns, 12.3 µs (us in ascii), 1.24 ms, 12.3 s, 3 m 12 s, 2 h 05 m, 4 d 03 h; -3 m 12 s */
const char *pit__unit_duration(char *out, double ns, int ascii);

/* 4,000 … 9,999,999; then 12.3 M, 1.23 G, … */
const char *pit__unit_count(char *out, uint64_t count);

/* 12, 1.23 k, 4.5 M, 6.1 G: a figure a second, without the "/s" */
const char *pit__unit_rate(char *out, double per_second);

/* 512 B, 3.1 GB; a GB is 2^30 bytes */
const char *pit__unit_bytes(char *out, double bytes);

/* The same with its sign: +12.3 MB, -512 B, 0 B */
const char *pit__unit_bytes_signed(char *out, double bytes);

/* 1.97 GB, 310 MB: a size in a sentence, in three digits */
const char *pit__unit_bytes_words(char *out, double bytes);

/* 412 J, 1.24 kJ, 31.0 mJ; 45.2 W */
const char *pit__unit_energy(char *out, double joules);
const char *pit__unit_power(char *out, double watts);

/* 61.2 %, 100 %, <0.1 %: a share 0…1 in a column */
const char *pit__unit_percent(char *out, double share);

/* 61 %, 4.1 %, 0.02 %: a share in a sentence */
const char *pit__unit_percent_words(char *out, double share);

/* 0.75, 12.00, <0.01: two decimals, so that a column of ratios lines up */
const char *pit__unit_ratio(char *out, double ratio);

/* Any number in six digits; NaN and inf are written as such, because they were measured */
const char *pit__unit_number(char *out, double value);

/* With as many digits as are needed to read the same double back; "nan", "inf". */
const char *pit__unit_exact(char *out, double value);

/* Rounded to thousandths: nanoseconds with picoseconds as decimals. Several times as fast as
 * pit__unit_exact, which it calls for negative and huge figures. */
const char *pit__unit_milli(char *out, double value);

/* The number of decimals to print: `decimals`, but below 0.001 enough for three digits: 4.12e-4
 * needs 6. */
int pit__small_decimals(double value, int decimals);

/* Replace the decimal sign of the locale by a point. */
void pit__fix_decimal_sign(char *number);

/* snprintf of one double by `format`, with a point in any locale; kept inside size. */
void pit__print_double(char *out, size_t size, const char *format, double value)
    __attribute__((format(printf, 3, 0)));

#endif
