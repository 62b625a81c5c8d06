/* capstan/abi/controller.h - "capstan.controller/1": a reconciler with objects of its own in the cluster, which
 * it reads and writes through capstan.kube/1. It takes no part in passes: nothing of it is recorded or replayed.
 *
 * A controller acts only while its host leads: `reconcile` is called then and at no other time. When the host
 * loses the lead, the reconcile under way and its requests to the cluster are cancelled. Outside of
 * `reconcile` a controller only watches objects and changes nothing in the cluster. So the
 * controllers of a standby host are ready to take over, and find all state in the cluster.
 */
#ifndef CAPSTAN_ABI_CONTROLLER_H
#define CAPSTAN_ABI_CONTROLLER_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_KIND_CONTROLLER "capstan.controller/1"

typedef struct capstan_reconcile {
    uint32_t struct_size;
    int32_t is_first; /* nonzero: the first since this host leads; what was remembered may be out of date */
} capstan_reconcile;

/** The result of one reconcile. An error about one object is one of the `problems`; the other
 *  objects are reconciled all the same. */
typedef struct capstan_reconciled {
    uint32_t struct_size;
    int32_t objects;        /* number of objects that the controller reconciles */
    int64_t again_ns;       /* nanoseconds until the next `reconcile`; < 0: not requested */
    capstan_str summary;    /* one sentence with numbers, for operators */
    capstan_array problems; /* capstan_error, `subject` = the object ("shop/web"); empty: no problem */
} capstan_reconciled;

typedef struct capstan_controller {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [strand] Asynchronous -> CAPSTAN_RESULT_RECONCILED. Brings the cluster in line with the
     *  controller's objects as they are now. It may work in steps, and end with `again_ns` 0 when
     *  its deadline is too near for the next step. Called when this host begins to lead, when it
     *  was requested through capstan.reconcile/1, `again_ns` after the last reconcile, and in any
     *  case after ten minutes; never before the last reconcile has ended. An error means that the
     *  controller could not do anything; the host calls again, and waits longer after each error in
     *  a row. `what` is valid until the operation is closed. */
    capstan_status (*reconcile)(void *self, capstan_op op, const capstan_reconcile *what) CAPSTAN_NOEXCEPT;
} capstan_controller;

CAPSTAN_END_DECLS
#endif
