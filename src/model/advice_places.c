/* advice_places.c: the hottest places in the code, for the advice rules. */
#include "advice_case.h"

#include "base/place_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLACE_BYTES 200 /* room for the text of a place */
#define PLACE_SAMPLES 5 /* fewer samples are chance */
#define TEAM_SAMPLES 8  /* the same, for a share of them */
#define FEW_SAMPLES 3   /* fewer are chance even if all agree */
#define FEW_SHARE 0.75  /* share of them that must agree */
/* share of the samples that the program's own function needs to be named next to a library's */
#define BESIDE_SHARE 0.1
/* ratio to the hottest line's function, for another function to be named */
#define FUNCTION_MORE 1.3
/* share of its function, for a call to stand for all of it */
#define NEARLY_ALL 0.9
#define PLACE_SHARE 0.25 /* share of the samples; below it, it is one place of many */

static int is_in_library(const pit_tree_place *place)
{
    return place->kind == PIT_PLACE_NATIVE && strstr(place->file, ".so") != NULL;
}

/* A library's function alone says little: also name the hottest function of the program. */
static void add_own_function(const pit_tree *tree, const pit_tree_place *place, char *words)
{
    char own[PLACE_BYTES];
    size_t used = strlen(words);
    if (!is_in_library(place))
        return;
    for (size_t i = 0; i < tree->place_count; i++) {
        const pit_tree_place *other = &tree->places[i];
        if (other->node != place->node || other->kind != place->kind || is_in_library(other) ||
            !*other->function || other->share < BESIDE_SHARE)
            continue;
        snprintf(words + used, PLACE_BYTES - used, " beside %s",
                 pit_place_text(other, own, sizeof own));
        return;
    }
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* Counts the samples of native code outside all spans: those in Python's interpreter, and those in the
 * hottest other function. */
static void set_interpreted(const pit_tree *tree, struct pit__case *made)
{
    double all = 0, inside = 0, most = 0;
    for (size_t i = 0; i < tree->outside_count; i++) {
        const pit_tree_place *place = &tree->outside[i];
        if (place->kind != PIT_PLACE_NATIVE)
            continue;
        const char *name = base_name(place->file);
        all += (double)place->samples;
        if (strncmp(name, "python", 6) == 0 || strncmp(name, "libpython", 9) == 0)
            inside += (double)place->samples;
        else
            most = fmax(most, (double)place->samples);
    }
    made->interpreted = all >= PLACE_SAMPLES ? inside / all : NAN;
    made->compiled = all >= PLACE_SAMPLES ? most / all : NAN;
}

/* Share of the samples in OpenMP's library, gcc's or LLVM's, where threads wait for one another in a loop. */
static double in_openmp(const pit_node *node)
{
    static const char *const libraries[] = {"libgomp", "libomp", "libiomp"};
    double all = 0, inside = 0;
    for (size_t i = 0; i < node->place_count; i++) {
        const pit_tree_place *place = &node->places[i];
        if (place->kind != PIT_PLACE_NATIVE)
            continue;
        const char *name = base_name(place->file);
        all += (double)place->samples;
        for (size_t k = 0; k < sizeof libraries / sizeof libraries[0]; k++)
            if (strncmp(name, libraries[k], strlen(libraries[k])) == 0)
                inside += (double)place->samples;
    }
    return all >= TEAM_SAMPLES ? inside / all : NAN;
}

/* Length of the name of the program's own function: "parse" of "parse.<locals>.<genexpr>", "decay" of
 * "decay calling exp". 0 if it is not a function of the program. */
static size_t own_name(const pit_tree_place *place)
{
    int is_python = place->kind == PIT_PLACE_PYTHON;
    const char *inside = strstr(place->function, is_python ? ".<locals>" : PIT__CALLING);
    size_t bytes = inside ? (size_t)(inside - place->function) : strlen(place->function);
    return is_in_library(place) || place->function[0] == '<' ? 0 : bytes;
}

/* The share of a place's function among the places of the same node and kind. */
static double function_share(const pit_tree_place *places, size_t count,
                             const pit_tree_place *place)
{
    double share = 0;
    size_t bytes = own_name(place);
    for (size_t i = 0; i < count; i++)
        if (places[i].node == place->node && places[i].kind == place->kind && bytes > 0 &&
            own_name(&places[i]) == bytes && strcmp(places[i].file, place->file) == 0 &&
            strncmp(places[i].function, place->function, bytes) == 0)
            share += places[i].share;
    return bytes > 0 ? share : place->share;
}

/* The place, for a function with this share of the samples: "decay calling exp (model)", but "decay, mostly
 * calling exp (model)" or "decay (model)" if the call is only a part of it. */
static void put_place(const pit_tree_place *place, double share, char words[PLACE_BYTES])
{
    char function[PLACE_BYTES];
    pit_tree_place named = *place;
    int own = (int)own_name(place);
    int is_most = place->share >= share / 2;
    if (place->kind == PIT_PLACE_NATIVE && place->share < NEARLY_ALL * share &&
        own < (int)strlen(place->function)) {
        snprintf(function, sizeof function, "%.*s%s%s", own, place->function,
                 is_most ? ", mostly" : "", is_most ? place->function + own : "");
        named.function = function;
    }
    pit_place_text(&named, words, PLACE_BYTES);
}

/* Imports take the time before the spans, mostly; the rest of the time outside is explained by what is done
 * there. Of a program without spans, they are a part of its work. */
static int is_import(const pit_tree *tree, const pit_tree_place *place)
{
    return place->node == PIT_NO_NODE && tree->node_count > 0 &&
           strstr(place->function, PIT__IMPORTING) != NULL;
}

/* Outside of all spans, an import only where there is nothing else. */
static const pit_tree_place *hottest_place(const pit_tree *tree, uint32_t node)
{
    const pit_tree_place *hottest = pit_tree_hottest(tree, node);
    if (!hottest || !is_import(tree, hottest))
        return hottest;
    for (size_t i = 0; i < tree->outside_count; i++)
        if (tree->outside[i].kind == hottest->kind && !is_import(tree, &tree->outside[i]))
            return &tree->outside[i];
    return hottest;
}

/* The text of a node's hottest place; NULL if it is not known or one of many. If the lines of one function
 * together take far more than any line, the function's hottest line represents it. */
static const char *place_of(struct pit__advice_case *made, const pit_tree *tree, uint32_t node,
                            double *share)
{
    char words[PLACE_BYTES];
    const pit_tree_place *place = hottest_place(tree, node);
    const pit_tree_place *all = node == PIT_NO_NODE ? tree->outside : tree->places;
    size_t count = node == PIT_NO_NODE ? tree->outside_count : tree->place_count;
    if (!place || place->node_samples < FEW_SAMPLES)
        return NULL;
    *share = function_share(all, count, place);
    for (size_t i = 0; i < count; i++)
        if (all[i].node == node && all[i].kind == place->kind && !is_import(tree, &all[i]) &&
            function_share(all, count, &all[i]) > FUNCTION_MORE * *share) {
            place = &all[i];
            *share = function_share(all, count, place);
        }
    if (*share < (place->node_samples < PLACE_SAMPLES ? FEW_SHARE : PLACE_SHARE))
        return NULL;
    put_place(place, *share, words);
    add_own_function(tree, place, words);
    return pit__arena_text(&made->arena, words, strlen(words));
}

/* The functions outside all spans that save something, by their names: their share of the samples, and the
 * hottest of their places. */
static void set_saving(struct pit__advice_case *made, const pit_tree *tree)
{
    char words[PLACE_BYTES];
    const pit_tree_place *hottest = NULL;
    double samples = 0;
    for (size_t i = 0; i < tree->outside_count; i++) {
        const pit_tree_place *place = &tree->outside[i];
        pit_place_text(place, words, sizeof words);
        if (place->kind != PIT_PLACE_PYTHON || !pit__is_saving(words))
            continue;
        samples += (double)place->samples;
        made->all.saves += place->share;
        hottest = hottest && hottest->share >= place->share ? hottest : place;
    }
    if (samples < FEW_SAMPLES)
        return;
    pit_place_text(hottest, words, sizeof words);
    made->all.saves_at = pit__arena_text(&made->arena, words, strlen(words));
}

void pit__set_places(struct pit__advice_case *made, const pit_tree *tree)
{
    for (size_t i = 0; i < tree->node_count; i++)
        if (tree->nodes[i].place_count > 0) {
            made->parts[i].place = place_of(made, tree, (uint32_t)i, &made->parts[i].place_share);
            made->parts[i].in_openmp = in_openmp(&tree->nodes[i]);
        }
    made->all.place = place_of(made, tree, PIT_NO_NODE, &made->all.place_share);
    made->all.is_import = made->all.place && strstr(made->all.place, PIT__IMPORTING) != NULL;
    for (size_t i = 0; i < tree->outside_count; i++)
        if (strstr(tree->outside[i].function, PIT__IMPORTING))
            made->all.imports += tree->outside[i].share;
    set_interpreted(tree, &made->all);
    set_saving(made, tree);
}
