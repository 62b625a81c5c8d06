/* capstan/abi/splitter.h - "capstan.splitter/1": how new nodes are shared out among similar groups. */
#ifndef CAPSTAN_ABI_SPLITTER_H
#define CAPSTAN_ABI_SPLITTER_H

#include "call.h"
#include "model.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_KIND_SPLITTER "capstan.splitter/1"

typedef struct capstan_splitter_request {
    uint32_t struct_size;
    int32_t nodes;        /* to share out, at least 0 */
    capstan_array groups; /* capstan_group with min, max and target, ordered by id */
} capstan_splitter_request;

typedef struct capstan_splitter_response {
    uint32_t struct_size;
    uint32_t reserved;
    void *ctx;
    /** Grows a group, by index, by a positive number; at most once per group. Other groups keep
     *  their size. An index out of range, a second growth of a group, a growth that is not positive
     *  or leads to a target above `max`, and a sum above `nodes` fail the call. */
    void (*grow)(const struct capstan_splitter_response *out, uint32_t group, int32_t by) CAPSTAN_NOEXCEPT;
} capstan_splitter_response;

typedef struct capstan_splitter {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [compute] The growths may add up to less than `nodes` when the groups have no more room. */
    capstan_status (*split)(void *self, const capstan_call *call, const capstan_splitter_request *in,
                            const capstan_splitter_response *out) CAPSTAN_NOEXCEPT;
} capstan_splitter;

CAPSTAN_END_DECLS
#endif
