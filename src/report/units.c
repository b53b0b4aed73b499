/* units.c: durations, counts, sizes, rates and shares as short texts. */
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pit__small_decimals(double value, int decimals)
{
    if (!(fabs(value) >= 1e-12 && fabs(value) < 1e-3))
        return decimals;
    return 2 - (int)floor(log10(fabs(value)));
}

void pit__fix_decimal_sign(char *number)
{
    char *sign = number + (*number == '-' || *number == '+');
    char *digits = sign;
    while (*digits >= '0' && *digits <= '9')
        digits++;
    if (digits == sign || *digits == '\0' || *digits == '.' || *digits == 'e')
        return;
    char *rest = digits; /* the sign may be longer than a byte */
    while (*rest != '\0' && (*rest < '0' || *rest > '9'))
        rest++;
    if (*rest == '\0') /* no fraction: a unit follows */
        return;
    *digits = '.';
    memmove(digits + 1, rest, strlen(rest) + 1);
}

void pit__print_double(char *out, size_t size, const char *format, double value)
{
    int length = snprintf(out, size, format, value);
    if (length < 0 || size == 0) {
        if (size > 0)
            out[0] = '\0';
        return;
    }
    pit__fix_decimal_sign(out);
}

static const char *not_available(char *out)
{
    return strcpy(out, "n/a");
}

/* Three digits and a unit: 1.24 ms, 12.4 ms, 124 ms. */
static const char *three_digits(char *out, double value, const char *unit)
{
    const char *format = fabs(value) < 9.995 ? "%.2f" : fabs(value) < 99.95 ? "%.1f" : "%.0f";
    pit__print_double(out, PIT__UNIT_BYTES - 8, format, value);
    if (*unit) {
        strcat(out, " ");
        strcat(out, unit);
    }
    return out;
}

/* A minute and more, of either sign: the two largest of days, hours, minutes, seconds. */
static const char *long_duration(char *out, double signed_seconds)
{
    double seconds = fabs(signed_seconds);
    static const struct {
        double seconds, part;
        char unit, part_unit;
    } steps[] = {{86400, 3600, 'd', 'h'}, {3600, 60, 'h', 'm'}, {60, 1, 'm', 's'}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        double parts = floor(seconds / steps[i].part + 0.5),
               whole = steps[i].seconds / steps[i].part;
        if (parts < whole)
            continue;
        snprintf(out, PIT__UNIT_BYTES, "%s%.0f %c %02.0f %c", signed_seconds < 0 ? "-" : "",
                 floor(parts / whole), steps[i].unit, fmod(parts, whole), steps[i].part_unit);
        return out;
    }
    return not_available(out);
}

const char *pit__unit_duration(char *out, double ns, int ascii)
{
    if (!isfinite(ns))
        return not_available(out);
    double size = fabs(ns);
    if (size < 999.5) {
        const char *format = size >= 9.95 || size == floor(size) ? "%.0f ns" : "%.1f ns";
        pit__print_double(out, PIT__UNIT_BYTES, format, ns == 0 ? 0.0 : ns);
        return out;
    }
    if (size < 999.5e3)
        return three_digits(out, ns / 1e3, ascii ? "us" : "\xc2\xb5s");
    if (size < 999.5e6)
        return three_digits(out, ns / 1e6, "ms");
    if (size < 59.95e9)
        return three_digits(out, ns / 1e9, "s");
    return long_duration(out, ns / 1e9);
}

const char *pit__unit_count(char *out, uint64_t count)
{
    if (count >= 10000000)
        return pit__unit_rate(out, (double)count);
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *to = out;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}

const char *pit__unit_rate(char *out, double per_second)
{
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
    if (!isfinite(per_second))
        return not_available(out);
    size_t step = 0;
    while (fabs(per_second) >= 999.5 && step + 1 < sizeof units / sizeof units[0]) {
        per_second /= 1000;
        step++;
    }
    if (step == 0 && per_second == floor(per_second)) {
        pit__print_double(out, PIT__UNIT_BYTES, "%.0f", per_second);
        return out;
    }
    if (fabs(per_second) >= 1e6) { /* larger than every unit */
        pit__print_double(out, PIT__UNIT_BYTES, "%.3g", per_second);
        return out;
    }
    return three_digits(out, per_second, units[step]);
}

/* Scale a size to its unit. */
static const char *unit_of_bytes(double *bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    size_t step = 0;
    while (fabs(*bytes) >= 999.5 && step + 1 < sizeof units / sizeof units[0]) {
        *bytes /= 1024;
        step++;
    }
    return units[step];
}

static const char *bytes_by(char *out, double bytes, int is_signed)
{
    if (!isfinite(bytes))
        return not_available(out);
    const char *unit = unit_of_bytes(&bytes);
    char number[PIT__UNIT_BYTES];
    const char *format = strcmp(unit, "B") == 0 || fabs(bytes) >= 99.95 ? "%.0f" : "%.1f";
    if (fabs(bytes) >= 1e6)
        format = "%.3g";
    pit__print_double(number, sizeof number - 4, format, bytes);
    snprintf(out, PIT__UNIT_BYTES, "%s%.32s %s", is_signed && bytes > 0 ? "+" : "", number, unit);
    return out;
}

const char *pit__unit_bytes(char *out, double bytes)
{
    return bytes_by(out, bytes, 0);
}

const char *pit__unit_bytes_signed(char *out, double bytes)
{
    return bytes_by(out, bytes, 1);
}

const char *pit__unit_bytes_words(char *out, double bytes)
{
    if (!isfinite(bytes) || fabs(bytes) < 999.5 || fabs(bytes) >= 1e21)
        return bytes_by(out, bytes, 0);
    const char *unit = unit_of_bytes(&bytes);
    return three_digits(out, bytes, unit);
}

/* With a letter for thousands or thousandths. */
static const char *with_prefix(char *out, double value, const char *unit)
{
    static const char *const prefixes[] = {"u", "m", "", "k", "M", "G"};
    char whole[8];
    int at = 2;
    if (!isfinite(value))
        return not_available(out);
    for (; fabs(value) >= 999.5 && at < 5; at++)
        value /= 1000;
    for (; value != 0 && fabs(value) < 0.9995 && at > 0; at--)
        value *= 1000;
    snprintf(whole, sizeof whole, "%s%s", prefixes[at], unit);
    return value == 0 ? strcat(strcpy(out, "0 "), unit) : three_digits(out, value, whole);
}

const char *pit__unit_energy(char *out, double joules)
{
    return with_prefix(out, joules, "J");
}

const char *pit__unit_power(char *out, double watts)
{
    return with_prefix(out, watts, "W");
}

const char *pit__unit_percent(char *out, double share)
{
    if (!isfinite(share))
        return not_available(out);
    double percent = share * 100;
    if (percent > 0 && percent < 0.05)
        return strcpy(out, "<0.1 %");
    const char *format = percent >= 99.95 || percent == 0 ? "%.0f %%" : "%.1f %%";
    pit__print_double(out, PIT__UNIT_BYTES, fabs(percent) >= 1e9 ? "%.3g %%" : format, percent);
    return out;
}

const char *pit__unit_percent_words(char *out, double share)
{
    if (!isfinite(share))
        return not_available(out);
    double percent = share * 100;
    if (percent > 0 && percent < 0.0005)
        return strcpy(out, "under 0.001 %");
    const char *format = percent >= 9.95 || percent == 0 ? "%.0f %%" : "%.2g %%";
    pit__print_double(out, PIT__UNIT_BYTES, fabs(percent) >= 1e9 ? "%.3g %%" : format, percent);
    return out;
}

const char *pit__unit_ratio(char *out, double ratio)
{
    if (!isfinite(ratio))
        return not_available(out);
    if (ratio > 0 && ratio < 0.005)
        return strcpy(out, "<0.01");
    pit__print_double(out, PIT__UNIT_BYTES, fabs(ratio) >= 1e9 ? "%.3g" : "%.2f", ratio);
    return out;
}

const char *pit__unit_number(char *out, double value)
{
    if (isnan(value))
        return strcpy(out, "NaN");
    if (isinf(value))
        return strcpy(out, value < 0 ? "-inf" : "inf");
    pit__print_double(out, PIT__UNIT_BYTES, "%.6g", value);
    return out;
}

const char *pit__unit_exact(char *out, double value)
{
    snprintf(out, PIT__UNIT_BYTES, "%.15g", value);
    if (isfinite(value) &&
        strtod(out, NULL) != value) /* before the decimal sign of the locale is replaced */
        snprintf(out, PIT__UNIT_BYTES, "%.17g", value);
    pit__fix_decimal_sign(out);
    return out;
}

const char *pit__unit_milli(char *out, double value)
{
    if (!(value >= 0 && value < 9e15))
        return pit__unit_exact(out, value);
    uint64_t whole = (uint64_t)value;
    uint64_t thousandths = (uint64_t)((value - (double)whole) * 1000 + 0.5);
    if (thousandths == 1000) {
        whole++;
        thousandths = 0;
    }
    char digits[PIT__UNIT_BYTES];
    size_t at = sizeof digits;
    digits[--at] = '\0';
    if (thousandths > 0) {
        for (int i = 0; i < 3; i++, thousandths /= 10)
            digits[--at] = (char)('0' + thousandths % 10);
        digits[--at] = '.';
    }
    do {
        digits[--at] = (char)('0' + whole % 10);
        whole /= 10;
    } while (whole > 0);
    return strcpy(out, digits + at);
}
