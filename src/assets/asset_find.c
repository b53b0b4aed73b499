/* asset_find.c: see assets.h. */
#include "assets.h"

#include <string.h>

const struct pit__asset *pit__asset_find(const char *name)
{
    for (const struct pit__asset *asset = pit__assets; asset->name; asset++)
        if (strcmp(asset->name, name) == 0)
            return asset;
    return NULL;
}
