/* capstan/abi/error.h - errors, and what the host does about each code. */
#ifndef CAPSTAN_ABI_ERROR_H
#define CAPSTAN_ABI_ERROR_H

#include "base.h"

CAPSTAN_BEGIN_DECLS

/** The host reacts to each code. An unknown value is treated as CAPSTAN_E_INTERNAL.
 *
 *  The table says what the host does, by code and call. A change is `increase`, `decrease_target`, `remove`,
 *  `create` or `destroy` of a cloud. After any error of `refresh` the cloud's groups keep their last known
 *  state, and are not changed, until a `refresh` succeeds. After any code but UNSUPPORTED a failed
 *  `destroy` is made again after 5 min by default.
 *
 *                      refresh            a change                         describe,       start
 *                                                                          machine_types
 *   UNSUPPORTED        again, a bug       not made for that group for      the default     refused
 *                                         a day
 *   INVALID_ARGUMENT   again, a bug       backed off                       again, a bug    refused
 *   INVALID_CONFIG     again              backed off                       again           refused
 *   NOT_FOUND          again              the object is gone: `refresh`    again           refused
 *                                         shows it; `remove` and
 *                                         `destroy` count as done
 *   CONFLICT           again              again (`increase`);              again           refused
 *                                         else backed off
 *   UNAUTHENTICATED    credentials        credentials                      again           later
 *   PERMISSION         credentials        backed off                       again           later
 *   THROTTLED          cloud backed off   cloud backed off                 again           later
 *   QUOTA              cloud backed off   backed off                       again           refused
 *   OUT_OF_CAPACITY    again              backed off                       again           refused
 *   UNAVAILABLE        again              again                            again           later
 *   DEADLINE           again              outcome unknown: counts as       again           later
 *                                         requested until `refresh` shows
 *                                         the outcome, for 2 min at most
 *   CANCELLED          again              outcome unknown, as above;        again           refused
 *                                         decided again in the next pass
 *   BUSY               again              decided again in the next pass    again           later
 *   INTERNAL           again, a bug       backed off, a bug                again, a bug    refused
 *
 *   again             The next pass that needs the call makes it. From the second failed `increase`
 *                     in a row on, the group is backed off for 20 s, then for twice as long each
 *                     time, up to 5 min, so that other groups are tried; after CONFLICT for
 *                     at most 30 s each time. `decrease_target`, and `remove` of a machine without
 *                     a node, are made again after 30 s, then after twice as long each time. A
 *                     node whose machine was not removed is backed off likewise, for 3 min at
 *                     first.
 *   backed off        After `increase` and `create` the group is backed off, by default for 5 min
 *                     at first and for twice as long after each failure in a row, up to 30 min.
 *                     Other changes are made again as described for `again`.
 *   cloud backed off  Either the calls of `refresh` or the changes of the cloud are backed off:
 *                     while changes are, `refresh` is still called. The calls are not made for 20 s
 *                     at first, then for 24 s each time, or for `retry_after_ms` if that is longer,
 *                     up to 5 min. A jitter of up to a quarter is added. Then one call finds out
 *                     whether throttling is over: a `refresh` with CAPSTAN_REFRESH_PROBE, or a
 *                     single change. A first throttled `increase` backs off its group alone, so
 *                     that another group is tried. If its `increase` is throttled, too, all
 *                     changes are backed off.
 *   credentials       As for `cloud backed off`, but for 1 min at first, then for twice as long
 *                     after each failure in a row, up to 15 min; operators are warned. After a
 *                     restart the host calls the cloud at once.
 *   a bug             The error is reported as a bug of the plugin.
 *   later             A new instance is started after a while; other instances run meanwhile.
 *   refused           No new instance is started until the host restarts or the settings change.
 *                     INVALID_CONFIG at the first start ends the host.
 *
 *  Other calls:
 *   - `price`, and `get` of the options: after any code the default counts. Codes other than
 *     UNSUPPORTED and NOT_FOUND are reported.
 *   - `new_group`: after any code the plan is dropped. Codes other than UNSUPPORTED are reported.
 *   - `self_check`: reported.
 *   - `filter` of an expander: after any code the stage's `on_error` decides. An expander that asks a service
 *     (capstan.expander.async/1) is asked again in the same pass only after INVALID_ARGUMENT and INTERNAL.
 *   - `similar`: the groups count as different. `bucket`, `equivalence`: the hash
 *     is not used.
 *   - `split`: the group of the option gets all nodes.
 *   - `suggest`: the source suggests no group for that cloud. `owns`: the source does not own the
 *     group.
 *   - After any code of `similar`, `split`, `suggest` and `owns` the error is reported.
 *
 *  `retry_after_ms` lengthens a wait, never beyond its bound. */
enum {
    CAPSTAN_OK = 0,
    CAPSTAN_E_UNSUPPORTED = 1,      /* the documented default is used, where there is one */
    CAPSTAN_E_INVALID_ARGUMENT = 2, /* the group does not allow it, or a bug of the caller */
    CAPSTAN_E_INVALID_CONFIG = 3,   /* refuse to start, or keep the old configuration */
    CAPSTAN_E_NOT_FOUND = 4,        /* the object does not exist */
    CAPSTAN_E_CONFLICT = 5,         /* it was changed meanwhile: read again, then decide again */
    CAPSTAN_E_UNAUTHENTICATED = 6,  /* credentials missing or expired */
    CAPSTAN_E_PERMISSION = 7,       /* an operator must grant something: say what */
    CAPSTAN_E_THROTTLED = 8,        /* skip a few passes, or wait for `retry_after_ms` */
    CAPSTAN_E_QUOTA = 9,            /* back the group off, fall over to the next option */
    CAPSTAN_E_OUT_OF_CAPACITY = 10, /* back the group off, fall over to the next option */
    CAPSTAN_E_UNAVAILABLE = 11,     /* try again on the next pass */
    CAPSTAN_E_DEADLINE = 12,        /* the call took too long: its outcome is not known */
    CAPSTAN_E_CANCELLED = 13,       /* the caller gave up, or the instance is stopping */
    CAPSTAN_E_INTERNAL = 14,        /* a bug: reported, the cluster is left as it is */
    CAPSTAN_E_BUSY = 15             /* a bounded queue or pool is full: try again later */
};

/** Which other groups an OUT_OF_CAPACITY, QUOTA or PERMISSION error concerns. With UNKNOWN it
 *  concerns the group alone or, for OUT_OF_CAPACITY of a machine, all groups of the cloud with the
 *  machine's type, zone and market. An unknown value is UNKNOWN. */
enum {
    CAPSTAN_SCOPE_UNKNOWN = 0,
    CAPSTAN_SCOPE_GROUP = 1,        /* the group alone: the machine type may be available to other groups */
    CAPSTAN_SCOPE_ZONE = 2,         /* all groups of the cloud in the zone */
    CAPSTAN_SCOPE_MACHINE_TYPE = 3, /* all groups of the cloud with the machine type and market */
    CAPSTAN_SCOPE_MARKET = 4,       /* all groups of the cloud in the same market: spot, or on demand */
    CAPSTAN_SCOPE_ACCOUNT = 5       /* all groups of the cloud */
};

typedef struct capstan_error {
    uint32_t struct_size;
    capstan_status code;
    capstan_str message;       /* what was tried, on what, what came back; cut at 4 KiB */
    capstan_str provider_code; /* "InsufficientInstanceCapacity"; empty: none */
    capstan_str subject;       /* in lists: id of the group, machine or object it is about; empty: none */
    int64_t retry_after_ms;    /* < 0: no advice */
    int32_t scope;             /* CAPSTAN_SCOPE_* */
    int32_t reserved;
} capstan_error;

CAPSTAN_END_DECLS
#endif
