/* capstan/abi/service_metrics.h - "capstan.metrics/1": metrics on the host's /metrics. Always granted.
 * Names get the prefix `capstan_plugin_<class>_`, except full names that `grants.metrics` lists.
 * Every series gets the label `plugin=<instance id>`, and ends with the instance. Base units:
 * seconds, bytes. */
#ifndef CAPSTAN_ABI_SERVICE_METRICS_H
#define CAPSTAN_ABI_SERVICE_METRICS_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_METRICS "capstan.metrics/1"

enum { CAPSTAN_METRIC_COUNTER = 1, CAPSTAN_METRIC_GAUGE = 2, CAPSTAN_METRIC_HISTOGRAM = 3 };

typedef struct capstan_metric {
    uint32_t struct_size;
    int32_t type;     /* CAPSTAN_METRIC_* */
    capstan_str name; /* [a-z0-9_]+, without the prefix; the whole name where `grants.metrics` has it */
    capstan_str help; /* one sentence, with the unit */
    capstan_array label_names; /* capstan_str; "plugin" is the host's */
    capstan_array buckets;     /* double, ascending upper bounds; HISTOGRAM only */
} capstan_metric;

typedef struct capstan_metrics {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Declares a metric and leaves its id in `*id`. The same declaration again gives the
     *  same id. CAPSTAN_E_INVALID_ARGUMENT: a bad name, type, label or bucket. CAPSTAN_E_CONFLICT:
     *  the name was declared differently before, by this instance or, for a whole name, by another
     *  one, or it is a name of the host's own. The log says which. */
    capstan_status (*declare)(const capstan_host *host, const capstan_metric *metric, uint32_t *id)
        CAPSTAN_NOEXCEPT;
    /** [any] Adds to a counter (never negative), sets a gauge, observes into a histogram.
     *  CAPSTAN_E_BUSY: the instance has used up its series; the value is dropped and counted. */
    capstan_status (*record)(const capstan_host *host, uint32_t id, double value,
                             capstan_array label_values /* capstan_str */) CAPSTAN_NOEXCEPT;
} capstan_metrics;

CAPSTAN_END_DECLS
#endif
