/* messages_view.c: bytes sent from rank to rank, message sizes, and the places in the program
 * that call MPI. CSV has only the pairs of ranks. */
#include "report_view.h"
#include "view_forms.h"

#include "model/ranks.h"
#include "reader/jobs.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>

#define PAIRS_SHOWN 20
#define SITES_SHOWN 20
#define WORDS_BYTES 256

/* ---- pairs of ranks ------------------------------------------------------------------------- */

static const struct pit__column pair_columns[] = {
    {.title = "from", .key = "from", .kind = PIT__COUNT},
    {.title = "to", .key = "to", .kind = PIT__COUNT},
    {.title = "messages", .key = "messages", .kind = PIT__COUNT},
    {.title = "bytes", .key = "bytes", .kind = PIT__BYTES},
    {.title = "mean", .key = "mean_bytes", .kind = PIT__BYTES, .drop = 1},
    {.title = "of all", .key = "share", .kind = PIT__PERCENT},
};

static double mean_of(const pit_message_sum *sent)
{
    return sent->count ? (double)sent->bytes / (double)sent->count : (double)NAN;
}

static double all_bytes(const pit_traffic *traffic)
{
    double all = 0;
    for (size_t i = 0; i < traffic->pair_count; i++)
        all += (double)traffic->pairs[i].sent.bytes;
    return all;
}

static void add_pair(struct pit__table *table, const pit_pair *pair, double all, int is_text)
{
    struct pit__cell others = is_text ? pit__cell_text("others") : pit__cell_empty();
    struct pit__cell cells[] = {pit__cell_whole(pair->from),
                                pair->to == PIT_UNKNOWN ? others : pit__cell_whole(pair->to),
                                pit__cell_whole(pair->sent.count),
                                pit__cell_whole(pair->sent.bytes),
                                pit__cell_real(mean_of(&pair->sent)),
                                pit__cell_share((double)pair->sent.bytes, all)};
    pit__table_row(table, cells);
}

static struct pit__table *pair_table(const pit_traffic *traffic, size_t most, int is_text)
{
    struct pit__table *table =
        pit__table_new(pair_columns, sizeof pair_columns / sizeof pair_columns[0]);
    double all = all_bytes(traffic);
    for (size_t i = 0; table && i < traffic->pair_count && i < most; i++)
        add_pair(table, &traffic->pairs[i], all, is_text);
    return table;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static const struct pit__column size_columns[] = {
    {.title = "size of a message", .key = "size", .kind = PIT__TEXT, .min_width = 18},
    {.title = "messages", .key = "messages", .kind = PIT__COUNT},
    {.title = "bytes", .key = "bytes", .kind = PIT__BYTES},
    {.title = "collectives", .key = "collectives", .kind = PIT__COUNT},
    {.title = "bytes", .key = "collective_bytes", .kind = PIT__BYTES},
};

/* "0 B", "4 kB to 8 kB" */
static void size_words(int i, char *words, size_t room)
{
    char low[PIT__UNIT_BYTES], high[PIT__UNIT_BYTES];
    pit__unit_bytes(low, i ? ldexp(1, i - 1) : 0);
    pit__unit_bytes(high, ldexp(1, i));
    if (i == 0 || i == 1)
        snprintf(words, room, "%s", low);
    else if (i == PIT_MESSAGE_SIZES - 1)
        snprintf(words, room, "%s and more", low);
    else
        snprintf(words, room, "%s to %s", low, high);
}

static struct pit__table *size_table(const pit_traffic *traffic)
{
    struct pit__table *table =
        pit__table_new(size_columns, sizeof size_columns / sizeof size_columns[0]);
    for (int i = 0; table && i < PIT_MESSAGE_SIZES; i++) {
        const pit_message_sum *own = &traffic->sizes[i], *all = &traffic->collective_sizes[i];
        char words[WORDS_BYTES];
        if (!own->count && !all->count)
            continue;
        size_words(i, words, sizeof words);
        struct pit__cell cells[] = {pit__cell_text(words), pit__cell_whole(own->count),
                                    pit__cell_whole(own->bytes), pit__cell_whole(all->count),
                                    pit__cell_whole(all->bytes)};
        pit__table_row(table, cells);
    }
    return table;
}

/* ---- call sites ----------------------------------------------------------------------------- */

static const struct pit__column site_columns[] = {
    {.title = "call", .key = "call", .kind = PIT__TEXT, .min_width = 12, .max_width = 40},
    {.title = "from", .key = "from", .kind = PIT__TEXT, .min_width = 24, .max_width = 80},
    {.title = "calls", .key = "calls", .kind = PIT__COUNT},
    {.title = "total", .key = "total_ns", .kind = PIT__DURATION},
    {.title = "mean", .key = "mean_ns", .kind = PIT__DURATION, .drop = 1},
};

/* "exchange+0x4f (solver)" */
static void site_words(const pit_call_site *site, char *words, size_t room)
{
    if (!site->function)
        snprintf(words, room, "not known");
    else
        snprintf(words, room, "%s+0x%llx (%s)", site->function, (unsigned long long)site->offset,
                 site->file);
}

static struct pit__table *site_table(const pit_traffic *traffic)
{
    struct pit__table *table =
        pit__table_new(site_columns, sizeof site_columns / sizeof site_columns[0]);
    for (size_t i = 0; table && i < traffic->site_count && i < SITES_SHOWN; i++) {
        const pit_call_site *site = &traffic->sites[i];
        char words[WORDS_BYTES];
        site_words(site, words, sizeof words);
        struct pit__cell cells[] = {pit__cell_text(site->call), pit__cell_text(words),
                                    pit__cell_whole(site->calls), pit__cell_real(site->total_ns),
                                    pit__cell_real(site->total_ns / (double)site->calls)};
        pit__table_row(table, cells);
    }
    return table;
}

/* ---- for machines --------------------------------------------------------------------------- */

static void write_sum(struct pit__json *json, const pit_message_sum *sent)
{
    pit__json_uint(json, "messages", sent->count);
    pit__json_uint(json, "bytes", sent->bytes);
}

/* Only classes that have messages. */
static void write_sizes(struct pit__json *json, const char *key, const pit_message_sum *sizes)
{
    pit__json_array(json, key);
    for (int i = 0; i < PIT_MESSAGE_SIZES; i++) {
        if (!sizes[i].count)
            continue;
        pit__json_flat_object(json, NULL);
        pit__json_uint(json, "from_bytes", i ? (uint64_t)1 << (i - 1) : 0);
        write_sum(json, &sizes[i]);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
}

static void write_sites(struct pit__json *json, const pit_traffic *traffic)
{
    pit__json_array(json, "call_sites");
    for (size_t i = 0; i < traffic->site_count; i++) {
        const pit_call_site *site = &traffic->sites[i];
        pit__json_flat_object(json, NULL);
        pit__json_string(json, "call", site->call);
        pit__json_string(json, "function", site->function);
        pit__json_string(json, "file", site->file);
        if (site->function)
            pit__json_uint(json, "offset", site->offset);
        else
            pit__json_null(json, "offset");
        pit__json_uint(json, "calls", site->calls);
        pit__json_milli(json, "total_ns", site->total_ns);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
    pit__json_uint(json, "calls_without_site", traffic->calls_lost);
}

static void write_pairs(struct pit__json *json, const pit_traffic *traffic)
{
    pit__json_array(json, "pairs");
    for (size_t i = 0; i < traffic->pair_count; i++) {
        const pit_pair *pair = &traffic->pairs[i];
        pit__json_flat_object(json, NULL);
        pit__json_uint(json, "from", pair->from);
        if (pair->to == PIT_UNKNOWN)
            pit__json_null(json, "to");
        else
            pit__json_uint(json, "to", pair->to);
        write_sum(json, &pair->sent);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
}

static void write_rest(struct pit__json *json, const void *traffic)
{
    write_sizes(json, "sizes", ((const pit_traffic *)traffic)->sizes);
    write_sizes(json, "collective_sizes", ((const pit_traffic *)traffic)->collective_sizes);
    write_sites(json, traffic);
}

void pit__json_traffic(struct pit__json *json, const char *key, const pit_traffic *traffic)
{
    pit__json_object(json, key);
    write_pairs(json, traffic);
    write_rest(json, traffic);
    pit__json_object_end(json);
}

/* ---- the view ------------------------------------------------------------------------------- */

static void print_left_out(struct pit__prose *prose, size_t count, size_t shown, const char *what)
{
    char number[PIT__UNIT_BYTES];
    struct pit__text line = {0};
    if (count <= shown)
        return;
    pit__text_printf(&line, "%s more %s: --json has them all",
                     pit__unit_count(number, count - shown), what);
    pit__prose_line(prose, &line, PIT__DIM);
}

static int print_one(const struct pit__view_call *call, struct pit__table *table, int is_there)
{
    int failed = !table || (is_there && pit__table_print(table, call->out, &call->look) != 0);
    int code = pit__table_done(table);
    return failed ? PIT_NO_MEMORY : code;
}

static int print_text(const struct pit__view_call *call, const pit_traffic *traffic)
{
    struct pit__text words = {0};
    if (!traffic->pair_count)
        pit__text_puts(&words, "no message went to a single rank");
    else if (traffic->pairs[0].to == PIT_UNKNOWN)
        pit__text_printf(&words, "rank %llu sends most, to ranks without a line of their own",
                         (unsigned long long)traffic->pairs[0].from);
    else
        pit__text_printf(&words, "rank %llu sends most to rank %llu",
                         (unsigned long long)traffic->pairs[0].from,
                         (unsigned long long)traffic->pairs[0].to);
    pit__prose_words(call->prose, &words, 0, PIT__STRONG);
    int code = print_one(call, pair_table(traffic, PAIRS_SHOWN, 1), traffic->pair_count > 0);
    print_left_out(call->prose, traffic->pair_count, PAIRS_SHOWN, "pairs");
    putc('\n', call->out);
    if (!code)
        code = print_one(call, size_table(traffic), 1);
    if (!code && traffic->site_count) {
        putc('\n', call->out);
        code = print_one(call, site_table(traffic), 1);
        print_left_out(call->prose, traffic->site_count, SITES_SHOWN, "call sites");
    }
    return code;
}

/* Runs that are not ranks of one job: only a single run is supported. */
static int add_single(const struct pit__gathered *runs, struct pit__traffic **own)
{
    struct pit__rank_head head;
    if (runs->run_count != 1)
        return 0;
    pit__rank_head_of(runs->runs[0], &head);
    return pit__traffic_add(own, runs->runs[0], pit__is_rank(&head) ? head.rank : 0);
}

static int print(const struct pit__view_call *call)
{
    const struct pit__gathered *runs = call->gathered;
    pit_ranks *made = runs->ranks ? NULL : pit_ranks_of(runs->runs, runs->run_count);
    const pit_ranks *ranks = runs->ranks ? runs->ranks : made;
    struct pit__traffic *own = NULL;
    int code = ranks ? 0 : add_single(runs, &own);
    const pit_traffic *traffic = ranks ? ranks->traffic : pit__traffic_told(own);
    if (!code && !traffic)
        code =
            pit__print_nothing(call, "no messages were recorded: this view requires the run of a "
                                     "program that calls MPI, or the runs of one job");
    else if (!code && call->options->form == PIT_TEXT)
        code = print_text(call, traffic);
    else if (!code)
        code = pit__view_form(call, pair_table(traffic, traffic->pair_count, 0), "Messages",
                              write_rest, traffic);
    pit__traffic_free(own);
    pit_ranks_free(made);
    return code;
}

const struct pit__view pit__messages_view = {
    .told = {.name = "messages",
             .help = "which ranks send how much to which, and where is MPI called?",
             .is_of_tree = 1,
             .options = PIT__OPTIONS(&pit__title_option)},
    .print = print,
    .needs_runs = 1,
};
