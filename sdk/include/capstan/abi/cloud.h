/* capstan/abi/cloud.h - "capstan.cloud/1": the machines' side of a cluster, and its optional companions. */
#ifndef CAPSTAN_ABI_CLOUD_H
#define CAPSTAN_ABI_CLOUD_H

#include "call.h"
#include "model.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_KIND_CLOUD "capstan.cloud/1"

/** A group's target counts its machines of every state but DELETING. A state that the receiver does not know
 *  is CAPSTAN_MACHINE_CREATING. */
enum {
    CAPSTAN_MACHINE_REQUESTED = 1, /* asked for; the cloud has not made it (yet) */
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

/** Why a machine is going to leave though its group is not asked to shrink. An unknown reason is OTHER. */
enum {
    CAPSTAN_LEAVES_OTHER = 0,
    CAPSTAN_LEAVES_SPOT_INTERRUPTION = 1, /* the cloud takes it back */
    CAPSTAN_LEAVES_REBALANCE = 2,         /* the cloud expects to take it back */
    CAPSTAN_LEAVES_MAINTENANCE = 3,
    CAPSTAN_LEAVES_EXPIRY = 4 /* its lifetime, or its reservation, ends */
};

/** One machine: of a group, or of none where it is known to exist and to belong to no group of the view. */
typedef struct capstan_machine {
    uint32_t struct_size;
    int32_t state;                  /* CAPSTAN_MACHINE_* */
    uint64_t present;               /* CAPSTAN_MACHINE_LAUNCHED and so on */
    capstan_str id;                 /* equals the node's spec.providerID; for REQUESTED any stable text */
    capstan_str group_id;           /* empty: of no group; the machine exists and is never changed */
    capstan_str machine_type, zone; /* empty: unknown */
    int64_t launched_unix_ns;
    const capstan_error *error;       /* NULL: none. OUT_OF_CAPACITY and QUOTA fall over to the next option */
    capstan_str template_fingerprint; /* of the template it was made from; empty: unknown */
    capstan_str node_name;  /* of its node, where that may have no spec.providerID; empty: unknown */
    int64_t leaves_unix_ns; /* when the cloud takes it away, CAPSTAN_MACHINE_LEAVES; 0: not known when */
    int32_t leaves_because; /* CAPSTAN_LEAVES_* */
    int32_t spot;           /* nonzero: the cloud may take it back, CAPSTAN_MACHINE_SPOT */
    double price_per_hour;  /* CAPSTAN_MACHINE_PRICE; in the currency of its group's price */
} capstan_machine;

enum { CAPSTAN_REFRESH_UNCACHED = 1u << 16 };

typedef struct capstan_refresh_request {
    uint32_t struct_size;
    /** CAPSTAN_CALL_*, and CAPSTAN_REFRESH_UNCACHED: something was changed, or a change failed, since the last
     *  `refresh`, so nothing that the plugin keeps of groups and machines from before is of use. */
    uint32_t flags;
} capstan_refresh_request;

/** One consistent picture. What could not be read is said, never left out in silence. */
typedef struct capstan_cloud_view {
    uint32_t struct_size;
    int32_t complete;         /* 0: groups in `unreadable` keep their last known state */
    capstan_array groups;     /* capstan_group */
    capstan_array machines;   /* capstan_machine; of no two one id */
    capstan_array unreadable; /* capstan_error, `subject` = group id */
    /** What the `id` of every machine of this cloud begins with ("aws:///"), where `machines` has all of them, those
     *  of no group too: a node with such a spec.providerID that is not listed has lost its machine. Empty: a
     *  machine that is not listed may exist. */
    capstan_str lists_all_with_prefix;
} capstan_cloud_view;

typedef struct capstan_resize {
    uint32_t struct_size;
    int32_t delta; /* positive: how many more (increase) or fewer (decrease_target) */
    capstan_str group_id;
    int32_t expected_target; /* the target this was decided on, see `increase` */
    /** Nonzero: all of `delta` or nothing, for groups that are only ever empty or full. A cloud that cannot
     *  promise that answers CAPSTAN_E_UNSUPPORTED and changes nothing; the host then asks once more without, and
     *  gives up what came of it where not all come. */
    int32_t all_or_nothing;
    capstan_str idempotency_key; /* the same key again has no second effect */
} capstan_resize;

/** The target as the cloud has it now, whatever its lists still show: those that were there before, and those
 *  that were agreed to.
 *
 *  Of an `increase`: the cloud has agreed to make `target - expected_target` machines. Fewer than `delta` are
 *  an answer, not a failure: `shortfall` says why there are not more, and the host falls over to the next option
 *  for the rest and backs the group off as if `increase` had failed with that error. No machine agreed to: the
 *  call fails with that error instead. */
typedef struct capstan_resized {
    uint32_t struct_size;
    int32_t target;
    const capstan_error *shortfall; /* NULL: all that was asked for */
} capstan_resized;

typedef struct capstan_removal {
    uint32_t struct_size;
    int32_t force; /* nonzero: also below the group's minimum, for machines that never joined */
    capstan_str group_id;
    capstan_array machine_ids; /* capstan_str; also of REQUESTED and FAILED machines */
    capstan_str idempotency_key;
} capstan_removal;

typedef struct capstan_removed {
    uint32_t struct_size;
    uint32_t reserved;
    capstan_array failed; /* capstan_error, `subject` = machine id; empty: all went */
} capstan_removed;

/** All asynchronous and [strand]; none may block. The deadline is the operation's (capstan.ops/1). Requests
 *  stay valid until it is closed. A group that the cloud does not have is CAPSTAN_E_NOT_FOUND; what the host
 *  does about an error stands beside its code. A change that failed has changed nothing, or is seen by
 *  `refresh`. */
typedef struct capstan_cloud {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** -> CAPSTAN_RESULT_CLOUD_VIEW. Once per pass. An error leaves everything as it was last known; where
     *  only a part could not be read, the view says so. */
    capstan_status (*refresh)(void *self, capstan_op op, const capstan_refresh_request *request)
        CAPSTAN_NOEXCEPT;
    /** -> CAPSTAN_RESULT_RESIZED. `expected_target` is the target that the host counts with. What `increase`
     *  answered counts until a `refresh` that began later shows at least as much, or a machine's provisioning
     *  time is over; what is removed, is taken back or fails lowers it. So where the cloud's list may lag
     *  behind its answers, compare with the larger of the list's target and the last answer, both without
     *  machines that `remove` has agreed to take. Another one is CAPSTAN_E_CONFLICT. Never past the group's
     *  maximum: CAPSTAN_E_INVALID_ARGUMENT. Machines that cannot be had: CAPSTAN_E_OUT_OF_CAPACITY or
     *  CAPSTAN_E_QUOTA, here, as the shortfall, or later as the `error` of a machine. */
    capstan_status (*increase)(void *self, capstan_op op, const capstan_resize *resize) CAPSTAN_NOEXCEPT;
    /** -> CAPSTAN_RESULT_RESIZED. Takes back requests that were not fulfilled, with or without a REQUESTED
     *  machine in the view; never removes a machine. More than there are to take back:
     *  CAPSTAN_E_INVALID_ARGUMENT. */
    capstan_status (*decrease_target)(void *self, capstan_op op, const capstan_resize *resize)
        CAPSTAN_NOEXCEPT;
    /** -> CAPSTAN_RESULT_REMOVED. Removes these machines and lowers the target with them: machines of nodes
     *  that are not needed, machines whose node never came or is broken, FAILED ones. One that cannot go is in
     *  `failed` and keeps no other. Below the group's minimum without `force`:
     *  CAPSTAN_E_INVALID_ARGUMENT. */
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
    /** [strand] Asynchronous -> CAPSTAN_RESULT_TEMPLATE. Asked again only when the group's fingerprint
     *  changes. Must not block. An error: what the group's nodes would be stays unknown. */
    capstan_status (*describe)(void *self, capstan_op op, const capstan_describe_request *request)
        CAPSTAN_NOEXCEPT;
} capstan_cloud_templates;

#define CAPSTAN_INTERFACE_PRICING "capstan.cloud.pricing/1"

typedef struct capstan_cloud_pricing {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [compute] The price of a new node of a group whose `price` is NULL, one that does not exist yet included.
     *  Fills `*out` (the caller sets its struct_size and zeroes the rest), from what is known already. May run
     *  while the cloud's functions run on the strand. CAPSTAN_E_NOT_FOUND: no price known. */
    capstan_status (*price)(void *self, const capstan_call *call, const capstan_group *group,
                            const capstan_template *node, capstan_price *out) CAPSTAN_NOEXCEPT;
} capstan_cloud_pricing;

#define CAPSTAN_INTERFACE_OPTIONS "capstan.cloud.options/1"

typedef struct capstan_cloud_options {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [compute] The options of a group whose `options` is NULL, one that does not exist yet included. Fills
     *  `*out` (the caller sets its struct_size and zeroes the rest), from what is known already. May run while the cloud's functions run on the strand. An error: the host's defaults are
     *  used. */
    capstan_status (*get)(void *self, const capstan_call *call, const capstan_group *group,
                          capstan_group_options *out) CAPSTAN_NOEXCEPT;
} capstan_cloud_options;

CAPSTAN_END_DECLS
#endif
