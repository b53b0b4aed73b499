/* shout_messages: a function hands out memory that its caller forgets to free. */
#include <pitwall.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 2400, LENGTH = 4000, TIMES = 24 };

static char *shouted(const char *text)
{
    size_t length = strlen(text);
    char *loud = malloc(length * TIMES + 1);
    if (!loud)
        abort();
    for (size_t i = 0; i < length * TIMES; i++)
        loud[i] = (char)toupper((unsigned char)text[i % length]);
    loud[length * TIMES] = 0;
    return loud;
}

static unsigned hash(const char *text)
{
    unsigned h = 5381;
    for (; *text; text++)
        h = h * 33 + (unsigned char)*text;
    return h;
}

int main(void)
{
    char text[LENGTH];
    unsigned sum = 0;
    memset(text, 'q', LENGTH - 1);
    text[LENGTH - 1] = 0;
    for (int i = 0; i < MESSAGES; i++) {
        PIT_SPAN("message") {
            const char *loud = NULL;
            PIT_SPAN("shout")
                loud = shouted(text);
            PIT_SPAN("hash")
                for (int k = 0; k < 6; k++)
                    sum += hash(loud);
        }
    }
    printf("%u\n", sum);
    return 0;
}
