/* config.c: settings for a run from a YAML file: finds and checks them, and turns them into environment
 * variables. Errors have a line and a column. */
#include "config.h"

#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define MERGES_DEEP 8 /* blocks merged into blocks; a block may name itself */
#define MERGES_MOST 1000
/* Real configurations are far below these limits; libyaml's time grows with the square of both. */
#define DEEPEST 100
#define ANCHORS_MOST 1000

enum type { BOOLEAN, WHOLE, NUMBER, TEXT };

struct key {
    const char *name;
    enum type type;
    const char *variable;
};

static const struct key trainer_keys[] = {
    {"enable_memory_monitoring", BOOLEAN, "PITWALL_MONITOR"},
    {"memory_monitor_batches", WHOLE, "PITWALL_MONITOR_BATCHES"},
};

static const struct key own_keys[] = {
    {"enabled", BOOLEAN, "PITWALL"},
    {"file", TEXT, "PITWALL_FILE"},
    {"memory", BOOLEAN, "PITWALL_MEMORY"},
    {"sample_hz", NUMBER, "PITWALL_SAMPLE"},
    {"ring", WHOLE, "PITWALL_RING"},
    {"verbose", BOOLEAN, "PITWALL_VERBOSE"},
    {"monitor", BOOLEAN, "PITWALL_MONITOR"},
    {"monitor_batches", WHOLE, "PITWALL_MONITOR_BATCHES"},
    {"live", TEXT, "PITWALL_LIVE"},
    {"clock", TEXT, "PITWALL_CLOCK"},
    {"sample_stacks", NUMBER, "PITWALL_SAMPLE_STACKS"},
};

static const struct block {
    const char *name;
    const struct key *keys;
    size_t key_count;
    int is_ours;
} blocks[] = {
    /* ours last: it overrides the trainer's */
    {"trainer_params", trainer_keys, sizeof trainer_keys / sizeof trainer_keys[0], 0},
    {"pitwall", own_keys, sizeof own_keys / sizeof own_keys[0], 1},
};

struct reading {
    const char *path;
    yaml_document_t document;
    struct config *config;
    unsigned merges; /* so far */
};

/* "conf.yaml:4:12: key: why" */
static int fail_at(const char *path, yaml_mark_t mark, const char *key, const char *why)
{
    char text[400];
    snprintf(text, sizeof text, "%zu:%zu: %s%s%s", mark.line + 1, mark.column + 1, key ? key : "",
             key ? ": " : "", why);
    size_t room = strlen(path) + sizeof text + 2;
    char *where = malloc(room);
    if (where)
        snprintf(where, room, "%s:%s", path, text);
    fail(EXIT_USAGE, "cannot use the configuration", where ? where : path, NULL);
    free(where);
    return EXIT_USAGE;
}

/* ---- values --------------------------------------------------------------------------------- */

static int is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return 1;
    return 0;
}

/* The boolean of YAML 1.1, or of 0 and 1; NULL if it is not one. */
static const char *as_boolean(const char *text)
{
    static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes", "YES",
                                      "on",   "On",   "ON",   "1",   NULL};
    static const char *const no[] = {"false", "False", "FALSE", "no", "No", "NO",
                                     "off",   "Off",   "OFF",   "0",  NULL};
    if (is_one_of(text, yes))
        return "1";
    return is_one_of(text, no) ? "0" : NULL;
}

static int is_whole(const char *text)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    return !errno && end != text && !*end && number >= 0 && *text >= '0' && *text <= '9';
}

static int is_number(const char *text)
{
    char *end;
    double number = strtod(text, &end);
    return end != text && !*end && number >= 0 && number <= 1e9 &&
           (*text == '.' || (*text >= '0' && *text <= '9'));
}

/* The value for the environment; NULL, and *why, if it has another type. */
static const char *checked(const struct key *key, const yaml_node_t *node, const char **why)
{
    static const char *const whys[] = {"must be true or false", "must be a whole number",
                                       "must be a number", "must be a text"};
    *why = whys[key->type];
    if (node->type != YAML_SCALAR_NODE)
        return NULL;
    const char *text = (const char *)node->data.scalar.value;
    int quoted = node->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                 node->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    /* it contains a zero byte */
    if (strlen(text) != node->data.scalar.length)
        return NULL;
    switch (key->type) {
    case BOOLEAN:
        return quoted ? NULL : as_boolean(text);
    case WHOLE:
        return !quoted && is_whole(text) ? text : NULL;
    case NUMBER:
        return !quoted && is_number(text) ? text : NULL;
    case TEXT:
        break;
    }
    return *text ? text : NULL;
}

int config_set(struct config *config, const char *variable, const char *value)
{
    char *copy = strdup(value);
    if (!copy)
        return fail(EXIT_CANNOT_READ, "cannot set", variable, strerror(ENOMEM));
    size_t i = 0;
    while (i < config->count && strcmp(config->settings[i].variable, variable) != 0)
        i++;
    if (i < config->count)
        free(config->settings[i].value);
    /* there are always fewer variables */
    else if (config->count == CONFIG_MOST)
        abort();
    else
        config->count++;
    config->settings[i] = (struct setting){variable, copy};
    return 0;
}

/* ---- the document --------------------------------------------------------------------------- */

static int read_pair(const struct reading *r, const struct block *block, const yaml_node_t *name,
                     const yaml_node_t *value)
{
    const char *text =
        name->type == YAML_SCALAR_NODE ? (const char *)name->data.scalar.value : "(not a name)";
    for (size_t i = 0; i < block->key_count; i++) {
        const struct key *key = &block->keys[i];
        const char *why;
        if (strcmp(key->name, text) != 0)
            continue;
        const char *checked_value = checked(key, value, &why);
        return checked_value ? config_set(r->config, key->variable, checked_value)
                             : fail_at(r->path, value->start_mark, text, why);
    }
    if (block->is_ours) {
        char where[400];
        snprintf(where, sizeof where, "%zu:%zu: %s", name->start_mark.line + 1,
                 name->start_mark.column + 1, text);
        fail(0, "warning: unknown key in the configuration", r->path, where);
    }
    return 0;
}

static int is_merge(const yaml_node_t *name)
{
    return name->type == YAML_SCALAR_NODE && name->data.scalar.length == 2 &&
           memcmp(name->data.scalar.value, "<<", 2) == 0;
}

static int read_keys(struct reading *r, const struct block *block, const yaml_node_t *node,
                     int merges);

/* "<<: *base", or a list of them, of which the first one wins. */
static int read_merge(struct reading *r, const struct block *block, const yaml_node_t *value,
                      int merges)
{
    int status = 0;
    if (++r->merges > MERGES_MOST)
        return fail_at(r->path, value->start_mark, "<<", "too many blocks are merged");
    if (merges == MERGES_DEEP)
        return fail_at(r->path, value->start_mark, "<<", "merged into itself, or too deep");
    if (value->type == YAML_MAPPING_NODE)
        return read_keys(r, block, value, merges + 1);
    if (value->type != YAML_SEQUENCE_NODE)
        return fail_at(r->path, value->start_mark, "<<", "must be a block of keys");
    for (yaml_node_item_t *item = value->data.sequence.items.top;
         item > value->data.sequence.items.start && !status; item--) {
        const yaml_node_t *one = yaml_document_get_node(&r->document, item[-1]);
        if (++r->merges > MERGES_MOST)
            return fail_at(r->path, one->start_mark, "<<", "too many blocks are merged");
        status = one->type == YAML_MAPPING_NODE
                     ? read_keys(r, block, one, merges + 1)
                     : fail_at(r->path, one->start_mark, "<<", "must be a block of keys");
    }
    return status;
}

/* Merged blocks first, so the block's own keys override them. */
static int read_keys(struct reading *r, const struct block *block, const yaml_node_t *node,
                     int merges)
{
    int status = 0;
    for (int own = 0; own <= 1; own++)
        for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             pair < node->data.mapping.pairs.top && !status; pair++) {
            const yaml_node_t *name = yaml_document_get_node(&r->document, pair->key);
            const yaml_node_t *value = yaml_document_get_node(&r->document, pair->value);
            if (is_merge(name) == own)
                continue;
            status = own ? read_pair(r, block, name, value) : read_merge(r, block, value, merges);
        }
    return status;
}

static int read_block(struct reading *r, const struct block *block, const yaml_node_t *node)
{
    /* "pitwall:" without content */
    if (node->type == YAML_SCALAR_NODE && node->data.scalar.length == 0)
        return 0;
    if (node->type == YAML_MAPPING_NODE)
        return read_keys(r, block, node, 0);
    return block->is_ours
               ? fail_at(r->path, node->start_mark, block->name, "must be a block of keys")
               : 0;
}

/* "warning: …: conf.yaml: 4:12: key" */
static void warn_at(const struct reading *r, const yaml_node_t *name, const char *what)
{
    char where[400];
    snprintf(where, sizeof where, "%zu:%zu: %s", name->start_mark.line + 1,
             name->start_mark.column + 1, (const char *)name->data.scalar.value);
    fail(0, what, r->path, where);
}

static int is_named(const yaml_node_t *name, const char *text)
{
    return name->type == YAML_SCALAR_NODE &&
           strcmp((const char *)name->data.scalar.value, text) == 0;
}

/* Find keys `text` anywhere in the document: sets name and value of the last one, returns the number of
 * different values. */
static size_t find_deep(struct reading *r, const char *text, const yaml_node_t **found_name,
                        const yaml_node_t **found_value)
{
    size_t count = 0;
    for (yaml_node_t *node = r->document.nodes.start; node < r->document.nodes.top; node++) {
        if (node->type != YAML_MAPPING_NODE)
            continue;
        for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             pair < node->data.mapping.pairs.top; pair++) {
            const yaml_node_t *name = yaml_document_get_node(&r->document, pair->key);
            const yaml_node_t *value = yaml_document_get_node(&r->document, pair->value);
            if (!is_named(name, text) || (count > 0 && value == *found_value))
                continue;
            *found_name = name;
            *found_value = value;
            count++;
        }
    }
    return count;
}

/* The trainer's block below the top level: used if it is the only one. A setting outside of such a block
 * causes a warning. */
static int read_deep(struct reading *r, const struct block *block)
{
    const yaml_node_t *name, *value;
    size_t count = find_deep(r, block->name, &name, &value);
    if (count == 1)
        return read_block(r, block, value);
    if (count > 1)
        warn_at(r, name,
                "warning: several such blocks, and none at the top level: "
                "they are ignored");
    for (size_t i = 0; count == 0 && i < block->key_count; i++)
        if (find_deep(r, block->keys[i].name, &name, &value) > 0)
            warn_at(r, name, "warning: a setting outside of trainer_params is ignored");
    return 0;
}

static int read_document(struct reading *r)
{
    yaml_node_t *root = yaml_document_get_root_node(&r->document);
    int status = 0;
    if (!root) /* an empty file has no settings */
        return 0;
    if (root->type != YAML_MAPPING_NODE)
        return fail_at(r->path, root->start_mark, NULL, "must be a list of keys and values");
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
        int is_there = 0;
        for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
             pair < root->data.mapping.pairs.top && !status; pair++) {
            const yaml_node_t *name = yaml_document_get_node(&r->document, pair->key);
            if (!is_named(name, blocks[b].name))
                continue;
            is_there = 1;
            status = read_block(r, &blocks[b], yaml_document_get_node(&r->document, pair->value));
        }
        if (!is_there && !blocks[b].is_ours && !status)
            status = read_deep(r, &blocks[b]);
    }
    return status;
}

/* An error of the scanner has its position in problem_mark. An error of the reader (invalid UTF-8) has only
 * an offset; the position is where reading stopped. */
static int fail_yaml(const char *path, const yaml_parser_t *parser)
{
    const char *why = parser->problem ? parser->problem : "not YAML";
    yaml_mark_t mark = parser->error == YAML_READER_ERROR ? parser->mark : parser->problem_mark;
    if (parser->error == YAML_MEMORY_ERROR)
        return fail(EXIT_CANNOT_READ, "cannot use the configuration", path, strerror(ENOMEM));
    return fail_at(path, mark, NULL, why);
}

/* Does this event have an anchor? */
static int has_anchor(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor != NULL;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor != NULL;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor != NULL;
    default:
        return 0;
    }
}

/* Check the limits before the document is loaded. Returns 0, or an exit status after the message. Invalid
 * YAML is reported later, when it is loaded. */
static int check_size(yaml_parser_t *parser, const char *path)
{
    unsigned depth = 0, anchors = 0;
    int status = 0, is_last = 0;
    yaml_event_t event;
    while (!is_last && !status && yaml_parser_parse(parser, &event)) {
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        anchors += (unsigned)has_anchor(&event);
        if (depth > DEEPEST)
            status = fail_at(path, event.start_mark, NULL, "nested too deep");
        else if (anchors > ANCHORS_MOST)
            status = fail_at(path, event.start_mark, NULL, "too many anchors");
        is_last = event.type == YAML_DOCUMENT_END_EVENT || event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    return status;
}

static int load(yaml_parser_t *parser, FILE *in, struct reading *r)
{
    errno = 0;
    if (yaml_parser_load(parser, &r->document)) {
        int status = read_document(r);
        yaml_document_delete(&r->document);
        return status;
    }
    if (ferror(in))
        return fail(EXIT_CANNOT_READ, "cannot read the configuration", r->path,
                    strerror(errno ? errno : EIO));
    return fail_yaml(r->path, parser);
}

/* The file is read twice, because a parser cannot rewind. */
static int parse(FILE *in, struct reading *r, int is_check)
{
    yaml_parser_t parser;
    rewind(in);
    if (!yaml_parser_initialize(&parser))
        return fail(EXIT_CANNOT_READ, "cannot read the configuration", r->path, strerror(ENOMEM));
    yaml_parser_set_input_file(&parser, in);
    int status = is_check ? check_size(&parser, r->path) : load(&parser, in, r);
    yaml_parser_delete(&parser);
    return status;
}

int config_read(const char *path, struct config *config)
{
    struct reading r = {.path = path, .config = config};
    const char *why;
    FILE *in = regular_file_open(path, &why);
    if (!in)
        return fail(EXIT_CANNOT_READ, "cannot read the configuration", path, why);
    int status = parse(in, &r, 1);
    if (!status)
        status = parse(in, &r, 0);
    fclose(in);
    return status;
}

void config_free(struct config *config)
{
    for (size_t i = 0; i < config->count; i++)
        free(config->settings[i].value);
    config->count = 0;
}
