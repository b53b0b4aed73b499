/* checksum_blocks: reads a file that is larger than what the page cache keeps of it, block by block. */
#include <pitwall.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 4 << 20, BLOCKS = 24, PASSES = 12 };

static unsigned char block[BYTES];

static int make_file(const char *path)
{
    int file = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    for (int i = 0; file >= 0 && i < BLOCKS; i++) {
        for (size_t k = 0; k < sizeof block; k++)
            block[k] = (unsigned char)rand();
        if (write(file, block, sizeof block) != (ssize_t)sizeof block)
            return -1;
    }
    return fsync(file) == 0 ? file : -1;
}

int main(void)
{
    unsigned long sum = 0;
    int file = make_file("blocks.bin");
    if (file < 0)
        return 1;
    for (int i = 0; i < PASSES * BLOCKS; i++) {
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED); /* as if it were too large to be kept */
        PIT_SPAN("iteration") {
            PIT_SPAN("read_block")
                if (pread(file, block, sizeof block, (off_t)(i % BLOCKS) * BYTES) != BYTES)
                    return 1;
            PIT_SPAN("checksum")
                for (size_t k = 0; k < sizeof block; k += 16)
                    sum = sum * 31 + block[k];
        }
    }
    printf("%lu\n", sum);
    return 0;
}
