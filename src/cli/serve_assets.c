/* serve_assets.c: the page itself, from the files of web/ that the library carries. */
#include "serve.h"

#include "assets/assets.h"

#include <string.h>

void serve_asset(const char *name, const char *version, struct serve_answer *answer)
{
    const struct pit__asset *asset = pit__asset_find(name);
    if (!asset) {
        answer->status = 404;
        return;
    }
    answer->body = serve_bytes_make(asset->data, asset->bytes);
    answer->status = answer->body ? 200 : 500;
    answer->type = asset->type;
    /* A file requested by the hash of its content never changes. */
    answer->cache = version && strcmp(version, asset->hash) == 0
                        ? "public, max-age=31536000, immutable"
                        : "no-cache";
}
