/* lookup_mapped: answers queries from a table in a file that is mapped into memory. */
#include <pitwall.h>

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES ((size_t)256 << 20)
enum { ROUNDS = 40, QUERIES = 400 };

static uint64_t state = 88172645463325252ull;

static uint64_t draw(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

static int make_table(const char *path)
{
    static uint64_t block[1 << 17];
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (size_t done = 0; file >= 0 && done < BYTES; done += sizeof block) {
        for (size_t i = 0; i < sizeof block / sizeof *block; i++)
            block[i] = draw();
        if (write(file, block, sizeof block) != (ssize_t)sizeof block)
            exit(1);
    }
    fsync(file);
    return file;
}

int main(void)
{
    int file = make_table("table.bin");
    uint64_t *table = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, file, 0), sum = 0;
    if (file < 0 || table == MAP_FAILED)
        return 1;
    madvise(table, BYTES, MADV_RANDOM);
    for (int round = 0; round < ROUNDS; round++)
        PIT_SPAN("round") {
            uint64_t hits[QUERIES];
            PIT_SPAN("lookup")
                for (int q = 0; q < QUERIES; q++)
                    hits[q] = table[draw() % (BYTES / sizeof *table)];
            PIT_SPAN("combine")
                for (int pass = 0; pass < 400; pass++)
                    for (int q = 0; q < QUERIES; q++)
                        sum = (sum ^ hits[q]) * 0x9e3779b97f4a7c15ull;
        }
    printf("%llx\n", (unsigned long long)sum);
    munmap(table, BYTES);
    close(file);
    return 0;
}
