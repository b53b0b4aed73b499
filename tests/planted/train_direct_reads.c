/* train_direct_reads: fits a line to records that are read past the page cache. */
#include <pitwall.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BATCH_BYTES = 1 << 22, BATCHES = 40, FLOATS = BATCH_BYTES / 4, EPOCHS = 24 };

static float *buffer;

static int make_file(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < FLOATS; i++)
        buffer[i] = (float)(i % 1000) / 1000;
    for (int batch = 0; file >= 0 && batch < BATCHES; batch++)
        if (write(file, buffer, BATCH_BYTES) != BATCH_BYTES)
            exit(1);
    fsync(file);
    close(file);
    return open(path, O_RDONLY | O_DIRECT);
}

static void get_batch(int file, int number)
{
    off_t at = (off_t)(number * 7 % BATCHES) * BATCH_BYTES;
    if (pread(file, buffer, BATCH_BYTES, at) != BATCH_BYTES)
        exit(1);
}

int main(void)
{
    double slope = 0, offset = 0;
    if (posix_memalign((void **)&buffer, 4096, BATCH_BYTES))
        return 1;
    int file = make_file("records.bin");
    if (file < 0)
        return 1;
    for (int number = 0; number < EPOCHS * BATCHES; number++)
        PIT_SPAN("train_batch") {
            PIT_SPAN("get_batch")
                get_batch(file, number);
            PIT_SPAN("fit")
                for (int i = 1; i < FLOATS; i += 8) {
                    double error = buffer[i] - slope * buffer[i - 1] - offset;
                    slope += 1e-4 * error * buffer[i - 1];
                    offset += 1e-4 * error;
                }
        }
    printf("%g %g\n", slope, offset);
    free(buffer);
    close(file);
    return 0;
}
