/* capstan/abi/cloud.h - "capstan.cloud/1": a cloud's node groups and machines, and optional companions. */
#ifndef CAPSTAN_ABI_CLOUD_H
#define CAPSTAN_ABI_CLOUD_H

#include "call.h"
#include "model.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_KIND_CLOUD "capstan.cloud/1"

/** A group's target counts its machines of every state but DELETING. A state that the receiver does not know
 *  is CAPSTAN_MACHINE_CREATING. */
enum {
    CAPSTAN_MACHINE_REQUESTED = 1, /* requested; the cloud has not made it yet */
    CAPSTAN_MACHINE_CREATING = 2,
    CAPSTAN_MACHINE_RUNNING = 3,
    CAPSTAN_MACHINE_DELETING = 4,
    CAPSTAN_MACHINE_FAILED = 5
};
enum {
    CAPSTAN_MACHINE_LAUNCHED = 1u,
    CAPSTAN_MACHINE_SPOT = 2u,
    CAPSTAN_MACHINE_PRICE = 4u,
    CAPSTAN_MACHINE_LEAVES = 8u
};

/** Why a machine is going to leave although its group is not shrunk. An unknown reason is OTHER. */
enum {
    CAPSTAN_LEAVES_OTHER = 0,
    CAPSTAN_LEAVES_SPOT_INTERRUPTION = 1, /* the cloud takes it back */
    CAPSTAN_LEAVES_REBALANCE = 2,         /* the cloud expects to take it back */
    CAPSTAN_LEAVES_MAINTENANCE = 3,
    CAPSTAN_LEAVES_EXPIRY = 4,   /* its lifetime, or its reservation, ends */
    CAPSTAN_LEAVES_UNHEALTHY = 5 /* the cloud replaces it, because a health check failed */
};

/** One machine. It belongs to a group of the view, or it is known to exist and belongs to no group. */
typedef struct capstan_machine {
    uint32_t struct_size;
    int32_t state;                  /* CAPSTAN_MACHINE_* */
    uint64_t present;               /* CAPSTAN_MACHINE_LAUNCHED and so on */
    capstan_str id;                 /* equals the node's spec.providerID; for REQUESTED any stable text */
    capstan_str group_id;           /* empty: no group; the host never changes the machine */
    capstan_str machine_type, zone; /* empty: unknown */
    int64_t launched_unix_ns;
    const capstan_error *error;       /* NULL: none. See error.h for OUT_OF_CAPACITY and QUOTA */
    capstan_str template_fingerprint; /* of the template it was made from; empty: unknown */
    capstan_str node_name;            /* of its node, if without spec.providerID; empty: unknown */
    int64_t leaves_unix_ns; /* with CAPSTAN_MACHINE_LEAVES: when the cloud takes it away; 0: unknown */
    int32_t leaves_because; /* CAPSTAN_LEAVES_* */
    int32_t spot;           /* with CAPSTAN_MACHINE_SPOT; nonzero: the cloud may take it back */
    double price_per_hour;  /* with CAPSTAN_MACHINE_PRICE; in the currency of its group's price */
    /** capstan_str, none of them empty: IP addresses and DNS names that its node may have in status.addresses.
     *  A node that matches no machine by spec.providerID or name is matched by an address that only
     *  this node and one machine have. */
    capstan_array addresses;
} capstan_machine;

enum { CAPSTAN_REFRESH_UNCACHED = 1u << 16, CAPSTAN_REFRESH_PROBE = 1u << 17 };

typedef struct capstan_refresh_request {
    uint32_t struct_size;
    /** CAPSTAN_CALL_*, and CAPSTAN_REFRESH_UNCACHED: since the last `refresh` something was changed, or a
     *  change failed, so what the plugin has cached of groups and machines is out of date.
     *  CAPSTAN_REFRESH_PROBE: the last `refresh` was throttled, and this one finds out whether
     *  throttling is over. Begin with one call about one group, and answer its error if it
     *  fails. */
    uint32_t flags;
} capstan_refresh_request;

/** One consistent picture of the cloud. A group that could not be read is in `unreadable`, never left out
 *  silently. */
typedef struct capstan_cloud_view {
    uint32_t struct_size;
    int32_t complete;         /* 0: some groups could not be read */
    capstan_array groups;     /* capstan_group */
    capstan_array machines;   /* capstan_machine; ids are unique */
    capstan_array unreadable; /* capstan_error; the group `subject` keeps its last known state */
    /** Not empty: `machines` has all machines of this cloud, those of no group too, and every `id` begins
     *  with this prefix ("aws:///"). A node has lost its machine when its spec.providerID begins with the
     *  prefix and is not listed. Empty: a machine that is not listed may exist. */
    capstan_str lists_all_with_prefix;
    /** How long a listed target may lag behind the answer to a change. A lower target that is
     *  listed after this time was set by another client, and the host uses it. 0: unknown; the host
     *  then uses the answer for as long as a machine may take to join. */
    int64_t target_lag_ms;
} capstan_cloud_view;

typedef struct capstan_resize {
    uint32_t struct_size;
    /** Number of machines to add (increase) or to take back (decrease_target); always positive. */
    int32_t delta;
    capstan_str group_id;
    int32_t expected_target; /* the target that the host assumes, see `increase` */
    /** Nonzero: all of `delta` or nothing, for groups that are only ever empty or full. A cloud that cannot
     *  promise that answers CAPSTAN_E_UNSUPPORTED and changes nothing. The host then asks once more
     *  without it. If not all machines come, it removes those that have no node yet. */
    int32_t all_or_nothing;
    capstan_str idempotency_key; /* a second request with the same key has no effect */
    /** The target in the view that the decision was based on. It differs from `expected_target` while the
     *  cloud's lists lag behind its answers. < 0: the same. */
    int32_t listed_target;
    int32_t reserved;
} capstan_resize;

/** The target as the cloud has it now, whatever its lists still show: the machines that were there before,
 *  and those that the cloud has agreed to make.
 *
 *  After an `increase` the cloud has agreed to make `target - expected_target` machines. Fewer than `delta`
 *  are an answer, not a failure: `shortfall` says why there are not more. The host then falls over to the
 *  next option for the rest, and backs the group off as if `increase` had failed with that error. When the
 *  cloud agrees to no machine, the call fails with that error instead. */
typedef struct capstan_resized {
    uint32_t struct_size;
    int32_t target;
    const capstan_error *shortfall; /* NULL: all machines that were asked for */
} capstan_resized;

typedef struct capstan_removal {
    uint32_t struct_size;
    int32_t force; /* nonzero: also below the minimum; for machines that never joined or failed */
    capstan_str group_id;
    capstan_array machine_ids; /* capstan_str; also of REQUESTED and FAILED machines */
    capstan_str idempotency_key;
    /** Nonzero: the target stays, and the cloud makes a machine for each that is removed: for machines that
     *  never joined, of a group at its minimum. A cloud that cannot do that answers CAPSTAN_E_UNSUPPORTED and
     *  removes nothing. */
    int32_t keep_target;
    int32_t reserved;
} capstan_removal;

typedef struct capstan_removed {
    uint32_t struct_size;
    uint32_t reserved;
    capstan_array failed; /* capstan_error, `subject` = machine id; empty: all were removed */
} capstan_removed;

/** All functions are asynchronous and [strand]; none may block. The deadline is the operation's
 *  (capstan.ops/1). Requests stay valid until the operation is closed. CAPSTAN_E_NOT_FOUND: the cloud does
 *  not have the group. error.h says what the host does about each code. A change that failed has changed
 *  nothing, or `refresh` shows what it changed. */
typedef struct capstan_cloud {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** -> CAPSTAN_RESULT_CLOUD_VIEW. Called at most once per pass. After an error all groups keep
     *  their last known state. When only some groups could not be read, the view names them. */
    capstan_status (*refresh)(void *self, capstan_op op, const capstan_refresh_request *request)
        CAPSTAN_NOEXCEPT;
    /** -> CAPSTAN_RESULT_RESIZED. Raises the target by `delta`.
     *
     *  `expected_target` is the target that the host assumes. Only the host remembers what was
     *  agreed to. It uses the answer of an `increase` until a `refresh` that began later lists at
     *  least that target, or until `target_lag_ms` is over. Machines that are removed, taken back
     *  or fail lower that target. A plugin compares the target that it reads right before the
     *  change with `expected_target` and `listed_target`, and requests `expected_target + delta` at
     *  most once. A target that is neither was set by another client.
     *
     *  CAPSTAN_E_CONFLICT: the target is neither `expected_target` nor `listed_target`.
     *  CAPSTAN_E_INVALID_ARGUMENT: the new target would be above the group's maximum.
     *  CAPSTAN_E_OUT_OF_CAPACITY, CAPSTAN_E_QUOTA: the cloud cannot make the machines; it says so
     *  here, as the shortfall, or later as the `error` of a machine. */
    capstan_status (*increase)(void *self, capstan_op op, const capstan_resize *resize) CAPSTAN_NOEXCEPT;
    /** -> CAPSTAN_RESULT_RESIZED. Takes back requests that were not fulfilled, with or without a
     *  REQUESTED machine in the view; never removes a machine. CAPSTAN_E_INVALID_ARGUMENT: fewer
     *  than `delta` requests can be taken back. */
    capstan_status (*decrease_target)(void *self, capstan_op op, const capstan_resize *resize)
        CAPSTAN_NOEXCEPT;
    /** -> CAPSTAN_RESULT_REMOVED. Removes these machines and, without `keep_target`, lowers the
     *  target with them: machines of nodes that are not needed, machines whose node never came or
     *  is broken, FAILED ones. A machine that cannot be removed is in `failed`, and the others are
     *  removed all the same. CAPSTAN_E_INVALID_ARGUMENT: the group would be below its minimum,
     *  without `force`. */
    capstan_status (*remove)(void *self, capstan_op op, const capstan_removal *removal) CAPSTAN_NOEXCEPT;
} capstan_cloud;

#define CAPSTAN_INTERFACE_TEMPLATES "capstan.cloud.templates/1"

typedef struct capstan_describe_request {
    uint32_t struct_size;
    uint32_t flags; /* CAPSTAN_CALL_* */
    capstan_str group_id;
} capstan_describe_request;

typedef struct capstan_cloud_templates {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [strand] Asynchronous -> CAPSTAN_RESULT_TEMPLATE. Must not block. Called after a `refresh`,
     *  for each group whose fingerprint is empty, new or changed, and for each group whose last
     *  call failed with a code other than CAPSTAN_E_UNSUPPORTED. After an error the template is
     *  unknown. */
    capstan_status (*describe)(void *self, capstan_op op, const capstan_describe_request *request)
        CAPSTAN_NOEXCEPT;
} capstan_cloud_templates;

#define CAPSTAN_INTERFACE_PRICING "capstan.cloud.pricing/1"

typedef struct capstan_cloud_pricing {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [compute] The price of a new node of a group whose `price` is NULL; the group may be one that does not
     *  exist yet. Fills `*out` (the caller sets its struct_size and zeroes the rest) from what the plugin has
     *  read already. May run while the cloud's functions run on the strand. CAPSTAN_E_NOT_FOUND: the price is
     *  not known. */
    capstan_status (*price)(void *self, const capstan_call *call, const capstan_group *group,
                            const capstan_template *node, capstan_price *out) CAPSTAN_NOEXCEPT;
} capstan_cloud_pricing;

#define CAPSTAN_INTERFACE_OPTIONS "capstan.cloud.options/1"

typedef struct capstan_cloud_options {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [compute] The options of a group whose `options` is NULL; the group may be one that does not exist
     *  yet. Fills `*out` (the caller sets its struct_size and zeroes the rest) from what the plugin has read
     *  already. May run while the cloud's functions run on the strand. After an error the host's defaults are
     *  used. */
    capstan_status (*get)(void *self, const capstan_call *call, const capstan_group *group,
                          capstan_group_options *out) CAPSTAN_NOEXCEPT;
} capstan_cloud_options;

CAPSTAN_END_DECLS
#endif
