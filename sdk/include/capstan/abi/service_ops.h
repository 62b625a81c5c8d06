/* capstan/abi/service_ops.h - "capstan.ops/1": ending asynchronous calls. Always granted.
 *
 * The host opens an operation, hands its id to a function such as `capstan_cloud.refresh` and goes on. The
 * plugin ends it exactly once, from any thread, at once or later. A function that returns a status other
 * than CAPSTAN_OK has ended its operation with that status; it need not (and cannot) complete it again.
 */
#ifndef CAPSTAN_ABI_SERVICE_OPS_H
#define CAPSTAN_ABI_SERVICE_OPS_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_OPS "capstan.ops/1"

/** The type of a result; compared with the type that the operation asks for. */
enum {
    CAPSTAN_RESULT_NONE = 0, /* the pointer is NULL */
    CAPSTAN_RESULT_CLOUD_VIEW = 1,
    CAPSTAN_RESULT_RESIZED = 2,
    CAPSTAN_RESULT_REMOVED = 3,
    CAPSTAN_RESULT_TEMPLATE = 4,
    CAPSTAN_RESULT_RECONCILED = 5,
    CAPSTAN_RESULT_MACHINE_TYPES = 6,
    CAPSTAN_RESULT_SELECTION = 7
};

typedef struct capstan_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Ends the operation with success. The result is copied before return.
     *  CAPSTAN_E_NOT_FOUND: the operation is over already (it was completed, its deadline passed,
     *  or it is of an earlier instance); nothing happened. CAPSTAN_E_INVALID_ARGUMENT:
     *  `result_type` is not what this operation asks for, or the result is invalid; the operation
     *  ends as CAPSTAN_E_INTERNAL. */
    capstan_status (*complete)(const capstan_host *host, capstan_op op, uint32_t result_type,
                               const void *result) CAPSTAN_NOEXCEPT;
    /** [any] Ends the operation with an error; copied. CAPSTAN_E_NOT_FOUND as above. */
    capstan_status (*fail)(const capstan_host *host, capstan_op op, const capstan_error *error)
        CAPSTAN_NOEXCEPT;
    /** [any] Nonzero once the host has given up on the operation, or for a stale id. */
    int32_t (*cancelled)(const capstan_host *host, capstan_op op) CAPSTAN_NOEXCEPT;
    /** [any] The deadline of the operation on capstan.clock/1's monotonic clock; 0 for a stale id. */
    int64_t (*deadline_ns)(const capstan_host *host, capstan_op op) CAPSTAN_NOEXCEPT;
    /** [any] Sets the function that is called once, on the strand, when the operation is cancelled,
     *  for example by its deadline or by `stop`; never after the operation ended. Posts `fn` at
     *  once when the operation is cancelled already. A later call replaces `fn`.
     *  CAPSTAN_E_NOT_FOUND as above: `fn` will not be called. */
    capstan_status (*on_cancel)(const capstan_host *host, capstan_op op,
                                void (*fn)(void *user, capstan_op op) CAPSTAN_NOEXCEPT, void *user)
        CAPSTAN_NOEXCEPT;
} capstan_ops;

CAPSTAN_END_DECLS
#endif
