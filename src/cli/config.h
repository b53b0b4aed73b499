/* config.h: settings for a run from a YAML file.
 *
 * Two blocks of its top level are read; all others are ignored:
 *
 *   trainer_params:                    the trainer's; other keys in it are ignored
 *     enable_memory_monitoring: true
 *     memory_monitor_batches: 5
 *   pitwall:                           ours; a warning names unknown keys
 *     file: runs/%r.pit
 *     memory: true
 *     …
 */
#ifndef PIT_CONFIG_H
#define PIT_CONFIG_H

#include <stddef.h>

struct setting { /* a variable of the environment and its value */
    const char *variable;
    char *value;
};

#define CONFIG_MOST 16

struct config {
    struct setting settings[CONFIG_MOST];
    size_t count;
};

/* Read the file into `config`, zeroed before. 0, or an exit status after the message. */
int config_read(const char *path, struct config *config);

/* Set a variable; a later value replaces an earlier one. 0, or an exit status. */
int config_set(struct config *config, const char *variable, const char *value);

void config_free(struct config *config);

#endif
