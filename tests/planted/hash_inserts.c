/* hash_inserts: fills a hash table, which is rebuilt when it is full. */
#include <pitwall.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t *slots;
static size_t room, used;

static void place(uint64_t key)
{
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15ull >> 20) & (room - 1);
    while (slots[at])
        at = (at + 1) & (room - 1);
    slots[at] = key;
}

static void grow(void)
{
    uint64_t *old = slots;
    size_t before = room;
    room = room ? 4 * room : 1024;
    slots = calloc(room, sizeof *slots);
    if (!slots)
        exit(1);
    for (size_t i = 0; i < before; i++)
        if (old[i])
            place(old[i]);
    free(old);
}

static void insert(const uint64_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (2 * used >= room)
            grow();
        place(keys[i]);
        used++;
    }
}

int main(void)
{
    static uint64_t keys[900];
    uint64_t next = 1, sum = 0;
    for (int block = 0; block < 10000; block++) {
        PIT_SPAN("make_keys")
            for (size_t i = 0; i < 900; i++)
                keys[i] = next++;
        PIT_SPAN("insert")
            insert(keys, 900);
        sum += slots[next % room];
    }
    printf("%zu keys, %llu\n", used, (unsigned long long)sum);
    free(slots);
    return 0;
}
