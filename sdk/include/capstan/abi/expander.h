/* capstan/abi/expander.h - "capstan.expander/1": chooses among the options of a scale-up. */
#ifndef CAPSTAN_ABI_EXPANDER_H
#define CAPSTAN_ABI_EXPANDER_H

#include "call.h"
#include "host.h"
#include "model.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_KIND_EXPANDER "capstan.expander/1"

typedef struct capstan_expander_request {
    uint32_t struct_size;
    uint32_t cluster_nodes; /* nodes in the cluster now */
    capstan_array options;  /* capstan_option, ordered by group id; at least one */
    capstan_array pods;     /* capstan_pod_equivalence_group */
} capstan_expander_request;

typedef struct capstan_expander_response {
    uint32_t struct_size;
    uint32_t reserved;
    void *ctx;
    /** Keeps one option, by index. The score is for the explanation only; whether a higher score is
     *  better is the expander's own choice. An option may be kept twice. An index out of range, or
     *  a NaN as score, fails the call. */
    void (*keep)(const struct capstan_expander_response *out, uint32_t option, double score) CAPSTAN_NOEXCEPT;
} capstan_expander_response;

typedef struct capstan_expander {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [compute] Keeps the best option, or all options that are equally good. To keep none is a valid answer,
     *  after which the stage's `on_empty` decides. After an error the stage's `on_error` decides. */
    capstan_status (*filter)(void *self, const capstan_call *call, const capstan_expander_request *in,
                             const capstan_expander_response *out) CAPSTAN_NOEXCEPT;
} capstan_expander;

/** The companion of an expander that asks a service, which `capstan_expander.filter` must not do. A
 *  host that finds this interface calls its `filter` instead of `capstan_expander.filter`; the
 *  latter returns CAPSTAN_E_UNSUPPORTED. Such a class is not CAPSTAN_CLASS_PURE. Its answer is
 *  recorded with the pass, so that a replay needs no service. */
#define CAPSTAN_INTERFACE_ASYNC_EXPANDER "capstan.expander.async/1"

typedef struct capstan_async_expander_request {
    uint32_t struct_size;
    uint32_t flags;                          /* CAPSTAN_CALL_* */
    uint64_t seed;                           /* as capstan_call.seed */
    int64_t now_unix_ns;                     /* as capstan_call.now_unix_ns */
    const capstan_expander_request *options; /* never NULL */
} capstan_async_expander_request;

typedef struct capstan_kept_option {
    uint32_t struct_size;
    uint32_t option; /* index into the request's options */
    double score;    /* as capstan_expander_response.keep */
} capstan_kept_option;

typedef struct capstan_selection {
    uint32_t struct_size;
    uint32_t reserved;
    capstan_array kept;      /* capstan_kept_option; empty: keeps none */
    capstan_array sentences; /* capstan_str: the explanation, as of capstan_call.explain */
} capstan_selection;

typedef struct capstan_async_expander {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [strand] Asynchronous -> CAPSTAN_RESULT_SELECTION. Must not block. The request stays valid until the
     *  operation is closed; the pass waits for its end, within its deadline (capstan.ops/1). The expander is
     *  not asked again in the same pass after an error other than CAPSTAN_E_INVALID_ARGUMENT and
     *  CAPSTAN_E_INTERNAL, nor once its calls have together taken twice the time limit of one
     *  call. */
    capstan_status (*filter)(void *self, capstan_op op,
                             const capstan_async_expander_request *request) CAPSTAN_NOEXCEPT;
} capstan_async_expander;

CAPSTAN_END_DECLS
#endif
