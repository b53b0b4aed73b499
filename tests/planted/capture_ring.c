/* capture_ring: frames in a ring that is filled once and then used again. */
#include <pitwall.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 64, BYTES = 1 << 20, FRAMES = 2000 };

static unsigned char *ring[SLOTS];

static unsigned char *capture(int number)
{
    int slot = number % SLOTS;
    if (!ring[slot])
        ring[slot] = malloc(BYTES);
    if (ring[slot])
        memset(ring[slot], number, BYTES);
    return ring[slot];
}

static unsigned long encode(const unsigned char *frame)
{
    unsigned long sum = 0;
    for (int i = 1; i < BYTES; i++)
        sum += (unsigned)(frame[i] ^ frame[i - 1]) * 31u;
    return sum;
}

int main(void)
{
    unsigned long sum = 0;
    for (int i = 0; i < FRAMES; i++) {
        PIT_SPAN("frame") {
            const unsigned char *frame = NULL;
            PIT_SPAN("capture")
                frame = capture(i);
            PIT_SPAN("encode")
                sum += frame ? encode(frame) : 0;
        }
    }
    printf("%lu\n", sum);
    return 0;
}
