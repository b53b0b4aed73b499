/* journal_fsync: every record of a transaction is brought to the disk on its own. */
#include <pitwall.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 4, RECORDS = 10, RECORD = 4096 };

static int append(int journal, const char *record)
{
    for (int i = 0; i < RECORDS; i++)
        if (write(journal, record, RECORD) != RECORD || fsync(journal) != 0)
            return 0;
    return 1;
}

int main(void)
{
    char record[RECORD];
    double balance = 0;
    time_t end = time(NULL) + SECONDS; /* the storage decides how many transactions that are */
    int is_kept = 1, journal = open("journal.bin", O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
    if (journal < 0)
        return 1;
    memset(record, 7, sizeof record);
    while (is_kept && time(NULL) < end) {
        PIT_SPAN("transaction") {
            PIT_SPAN("apply")
                for (int k = 0; k < 50000; k++)
                    balance += k * 1e-9;
            PIT_SPAN("append")
                is_kept = append(journal, record);
        }
    }
    close(journal);
    unlink("journal.bin");
    printf("%g\n", balance);
    return !is_kept;
}
