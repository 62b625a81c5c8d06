/* capstan/abi/error.h - what went wrong, and what the caller does about it. */
#ifndef CAPSTAN_ABI_ERROR_H
#define CAPSTAN_ABI_ERROR_H

#include "base.h"

CAPSTAN_BEGIN_DECLS

/** A code exists because the host reacts to it. An unknown value is treated as CAPSTAN_E_INTERNAL.
 *
 *  What the host does, by code and call. `change` is `increase`, `decrease_target`, `remove`, `create` or
 *  `destroy` of a cloud; after any error of `refresh` the cloud's groups count as they were last known, and
 *  are not touched, until it answers.
 *
 *                      refresh            a change                         describe,       start
 *                                                                          machine_types
 *   UNSUPPORTED        again, a bug       not made for that group for      the default     refused
 *                                         a day
 *   INVALID_ARGUMENT   again, a bug       backed off, a bug                again, a bug    refused
 *   INVALID_CONFIG     again              backed off                       again           refused
 *   NOT_FOUND          again              gone: `refresh` shows it; of     again           refused
 *                                         `remove` and `destroy` as
 *                                         good as done
 *   CONFLICT           again              decided anew in the next pass    again           refused
 *                                         (`increase`); else backed off
 *   UNAUTHENTICATED    credentials        credentials                      again           later
 *   PERMISSION         credentials        backed off                       again           later
 *   THROTTLED          rest               rest                             again           later
 *   QUOTA              rest               backed off                       again           refused
 *   OUT_OF_CAPACITY    again              backed off                       again           refused
 *   UNAVAILABLE        again              again                            again           later
 *   DEADLINE           again              counts as asked for until        again           later
 *                                         `refresh` shows it
 *   CANCELLED          again              decided anew in the next pass    again           refused
 *   BUSY               again              decided anew in the next pass    again           later
 *   INTERNAL           again, a bug       backed off, a bug                again, a bug    refused
 *
 *   again        The next pass that needs the call makes it. From the second failed `increase` in a row on
 *                the group is left alone for 20 s, then twice as long, up to 5 min, so that another one gets
 *                its turn; `decrease_target`, and `remove` of one machine, rest for 30 s, then twice as long.
 *   backed off   The group is left alone for a while (`increase`, `create`: five minutes at first, and twice
 *                as long after each failure in a row); of the others that call and machine rest as above.
 *   rest         The cloud as a whole is not called for 20 s at first, twice as long after each failure in a
 *                row, up to 5 min, or for `retry_after_ms` within these bounds, and up to a quarter more.
 *   credentials  The same for 1 min up to 15 min; an operator is told. A new start of the host asks at once.
 *   a bug        Is told as one of the plugin.
 *   later        The instance is started again after a while; the others go on.
 *   refused      The instance is not started.
 *
 *  `price`, `options` and what a group to be made would be: UNSUPPORTED and NOT_FOUND mean the default, any
 *  other code is told, and the default counts. `self_check`: told. `filter` of an expander: of any code the
 *  stage's `on_error` decides; an expander that asks a service (capstan.expander.async/1) is asked again in
 *  the same pass after INVALID_ARGUMENT and INTERNAL alone. Hooks of similarity checks, splitters and group
 *  sources: UNSUPPORTED means the default, any other code is an error of that check, splitter or source. `retry_after_ms` lengthens what is waited for, never beyond its bound. */
enum {
    CAPSTAN_OK = 0,
    CAPSTAN_E_UNSUPPORTED = 1,      /* the documented default is used; not a failure */
    CAPSTAN_E_INVALID_ARGUMENT = 2, /* the caller's bug: reported, not tried again */
    CAPSTAN_E_INVALID_CONFIG = 3,   /* refuse to start, or keep the old configuration */
    CAPSTAN_E_NOT_FOUND = 4,        /* drop the object from the snapshot */
    CAPSTAN_E_CONFLICT = 5,         /* it was changed meanwhile: read again, then decide again */
    CAPSTAN_E_UNAUTHENTICATED = 6,  /* credentials missing or expired */
    CAPSTAN_E_PERMISSION = 7,       /* an operator must grant something: say what */
    CAPSTAN_E_THROTTLED = 8,        /* skip a few passes, or `retry_after_ms` */
    CAPSTAN_E_QUOTA = 9,            /* back the group off, fall over to the next option */
    CAPSTAN_E_OUT_OF_CAPACITY = 10, /* back the group off, fall over to the next option */
    CAPSTAN_E_UNAVAILABLE = 11,     /* try again on the next pass */
    CAPSTAN_E_DEADLINE = 12,        /* the call took too long: what came of it is not known */
    CAPSTAN_E_CANCELLED = 13,       /* the caller gave up, or the instance is stopping */
    CAPSTAN_E_INTERNAL = 14,        /* a bug: reported, the cluster is left as it is */
    CAPSTAN_E_BUSY = 15             /* a bounded queue or pool is full: try again later */
};

typedef struct capstan_error {
    uint32_t struct_size;
    capstan_status code;
    capstan_str message;       /* what was tried, on what, what came back; cut at 4 KiB */
    capstan_str provider_code; /* "InsufficientInstanceCapacity"; empty: none */
    capstan_str subject;       /* the group or instance id it is about, in lists; empty: none */
    int64_t retry_after_ms;    /* < 0: no advice */
} capstan_error;

CAPSTAN_END_DECLS
#endif
