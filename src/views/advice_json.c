/* advice_json.c: findings as JSON. */
#include "report_view.h"

#include "report/json_writer.h"

void pit__json_advice(struct pit__json *json, const pit_advice *advice)
{
    pit__json_object(json, "advice");
    pit__json_array(json, "findings");
    for (size_t i = 0; i < advice->count; i++) {
        const pit_finding *finding = &advice->findings[i];
        pit__json_object(json, NULL);
        pit__json_string(json, "rule", finding->rule);
        pit__json_int(json, "severity", finding->severity);
        pit__json_string(json, "headline", finding->headline);
        pit__json_string(json, "evidence", finding->evidence);
        pit__json_string(json, "remedy", finding->remedy);
        pit__json_string(json, "path", finding->path);
        pit__json_double(json, "share", finding->share);
        pit__json_double(json, "savings_ns", finding->savings_ns);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
    pit__json_bool(json, "too_little_data", advice->too_little_data);
    pit__json_string(json, "reason", advice->too_little_data ? advice->reason : NULL);
    pit__json_object_end(json);
}
