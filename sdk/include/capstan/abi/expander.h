/* capstan/abi/expander.h - "capstan.expander/1": which of several ways to grow survive. */
#ifndef CAPSTAN_ABI_EXPANDER_H
#define CAPSTAN_ABI_EXPANDER_H

#include "call.h"
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
    /** Keeps one option, by index. The score is for the explanation only; what "higher" means is the
     *  expander's own. Keeping one twice is harmless; an index that is not there fails the call. */
    void (*keep)(const struct capstan_expander_response *out, uint32_t option, double score) CAPSTAN_NOEXCEPT;
} capstan_expander_response;

typedef struct capstan_expander {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [compute] Keeps the options it likes best, all of those it likes equally. Keeping none is an answer
     *  (the stage's `on_empty` decides); an error is not (its `on_error` does). */
    capstan_status (*filter)(void *self, const capstan_call *call, const capstan_expander_request *in,
                             const capstan_expander_response *out) CAPSTAN_NOEXCEPT;
} capstan_expander;

CAPSTAN_END_DECLS
#endif
