/* capstan/abi/call.h - the context of one synchronous call; valid until the call returns. */
#ifndef CAPSTAN_ABI_CALL_H
#define CAPSTAN_ABI_CALL_H

#include "error.h"

CAPSTAN_BEGIN_DECLS

/** The purpose of a call or a request. The receiver ignores bits that it does not know. */
enum {
    CAPSTAN_CALL_DRY_RUN = 1u,    /* nothing will be carried out */
    CAPSTAN_CALL_SIMULATION = 2u, /* time and cluster are simulated */
    CAPSTAN_CALL_VERIFY = 4u      /* the conformance suite is asking */
};

typedef struct capstan_call {
    uint32_t struct_size;
    uint32_t flags; /* CAPSTAN_CALL_* */
    uint64_t trace_id;
    /** The only randomness of a pure hook: equal arguments, seed and time give an equal answer. */
    uint64_t seed;
    /** The time of the pass, nanoseconds since 1970, and the only clock of a pure hook. Within one process it
     *  advances evenly, whatever the machine's clock is set to. */
    int64_t now_unix_ns;
    /** When the host stops waiting for the answer, on capstan.clock/1's monotonic clock. After the
     *  deadline the host decides without the hook until the call has returned. */
    int64_t deadline_ns;
    void *ctx;
    /** [any] Nonzero once the host has given up on the call. A long loop checks it now and then. */
    int32_t (*cancelled)(const struct capstan_call *call) CAPSTAN_NOEXCEPT;
    /** [any] Reports the failure that the hook is about to return; copied. Returns `error->code`, so that a
     *  hook can `return call->fail(call, &e);`. The last report counts, if the hook then returns its code. */
    capstan_status (*fail)(const struct capstan_call *call, const capstan_error *error) CAPSTAN_NOEXCEPT;
    /** [any] Adds one sentence, with numbers, to the decision's explanation; copied, cut at 1 KiB; at most
     *  256 sentences per call. */
    void (*explain)(const struct capstan_call *call, capstan_str sentence) CAPSTAN_NOEXCEPT;
} capstan_call;

CAPSTAN_END_DECLS
#endif
