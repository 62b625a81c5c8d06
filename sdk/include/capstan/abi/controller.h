/* capstan/abi/controller.h - "capstan.controller/1": a reconciler with objects of its own in the cluster, which
 * it reads and writes through capstan.kube/1. It takes no part in passes: nothing of it is recorded or replayed.
 *
 * A host lets it act only while that host leads: `reconcile` is called then and at no other time, and what is
 * under way when the lead is lost is cancelled, requests to the cluster with it. All else a controller does
 * outside of `reconcile`, following objects above all, changes nothing in the cluster. So a host that stands by
 * has its controllers ready, and the next leader finds in the cluster all there is to know.
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

/** What came of one reconcile. A trouble with one object is a problem, and never keeps the others waiting. */
typedef struct capstan_reconciled {
    uint32_t struct_size;
    int32_t objects;        /* it looks after so many of its own */
    int64_t again_ns;       /* wants to be called in so many nanoseconds, asked or not; < 0: needs no date */
    capstan_str summary;    /* one sentence with numbers, for operators */
    capstan_array problems; /* capstan_error, `subject` = what it is about ("shop/web"); empty: all is well */
} capstan_reconciled;

typedef struct capstan_controller {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [strand] Asynchronous -> CAPSTAN_RESULT_RECONCILED. Brings the cluster in line with its objects as they
     *  are now; may take its time in steps, and end with `again_ns` 0 where its deadline is too near for the
     *  next. Never a second one before the first has ended. Called when this host begins to lead, when
     *  capstan.reconcile/1 was asked, when `again_ns` is over, and in any case after some minutes. An error: it
     *  could not do anything; the host waits longer from error to error, and comes back. `what` is valid until
     *  the operation is closed. */
    capstan_status (*reconcile)(void *self, capstan_op op, const capstan_reconcile *what) CAPSTAN_NOEXCEPT;
} capstan_controller;

CAPSTAN_END_DECLS
#endif
