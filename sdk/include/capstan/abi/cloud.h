/* capstan/abi/cloud.h - "capstan.cloud/1": the machines' side of a cluster, and its optional companions. */
#ifndef CAPSTAN_ABI_CLOUD_H
#define CAPSTAN_ABI_CLOUD_H

#include "call.h"
#include "model.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_KIND_CLOUD "capstan.cloud/1"

enum {
    CAPSTAN_MACHINE_REQUESTED = 1, /* asked for; the cloud has not made it (yet) */
    CAPSTAN_MACHINE_CREATING = 2,
    CAPSTAN_MACHINE_RUNNING = 3,
    CAPSTAN_MACHINE_DELETING = 4,
    CAPSTAN_MACHINE_FAILED = 5
};
enum { CAPSTAN_MACHINE_LAUNCHED = 1u };

/** One machine of a group. */
typedef struct capstan_machine {
    uint32_t struct_size;
    int32_t state;    /* CAPSTAN_MACHINE_* */
    uint64_t present; /* CAPSTAN_MACHINE_LAUNCHED */
    capstan_str id;   /* equals the node's spec.providerID; for REQUESTED any stable text */
    capstan_str group_id;
    capstan_str machine_type, zone; /* empty: unknown */
    int64_t launched_unix_ns;
    const capstan_error *error; /* NULL: none. OUT_OF_CAPACITY and QUOTA fall over to the next option */
} capstan_machine;

/** One consistent picture. What could not be read is said, never left out in silence. */
typedef struct capstan_cloud_view {
    uint32_t struct_size;
    int32_t complete;         /* 0: groups in `unreadable` keep their last known state */
    capstan_array groups;     /* capstan_group */
    capstan_array machines;   /* capstan_machine */
    capstan_array unreadable; /* capstan_error, `subject` = group id */
} capstan_cloud_view;

typedef struct capstan_resize {
    uint32_t struct_size;
    int32_t delta; /* positive: how many more (increase) or fewer (decrease_target) */
    capstan_str group_id;
    int32_t expected_target; /* the target this was decided on, see `increase` */
    int32_t all_or_nothing;
    capstan_str idempotency_key; /* the same key again has no second effect */
} capstan_resize;

typedef struct capstan_resized {
    uint32_t struct_size;
    int32_t target; /* as the cloud has it now, whatever its lists still show */
} capstan_resized;

typedef struct capstan_removal {
    uint32_t struct_size;
    int32_t force; /* nonzero: also below the group's minimum, for machines that never joined */
    capstan_str group_id;
    capstan_array machine_ids; /* capstan_str */
    capstan_str idempotency_key;
} capstan_removal;

typedef struct capstan_removed {
    uint32_t struct_size;
    uint32_t reserved;
    capstan_array failed; /* capstan_error, `subject` = instance id; empty: all went */
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
    capstan_status (*refresh)(void *self, capstan_op op) CAPSTAN_NOEXCEPT;
    /** -> CAPSTAN_RESULT_RESIZED. `expected_target` is the target that the host counts with. What `increase`
     *  answered counts until a `refresh` that began later shows at least as much, or a machine's provisioning
     *  time is over; what is removed, is taken back or fails lowers it. So where the cloud's list may lag
     *  behind its answers, compare with the larger of the list's target and the last answer, both without
     *  machines that `remove` has agreed to take. Another one is CAPSTAN_E_CONFLICT. Never past the group's
     *  maximum: CAPSTAN_E_INVALID_ARGUMENT. Machines that cannot be had: CAPSTAN_E_OUT_OF_CAPACITY or
     *  CAPSTAN_E_QUOTA, here or later as the `error` of an instance. */
    capstan_status (*increase)(void *self, capstan_op op, const capstan_resize *resize) CAPSTAN_NOEXCEPT;
    /** -> CAPSTAN_RESULT_RESIZED. Takes back requests that were not fulfilled; never removes a machine. More
     *  than there are to take back: CAPSTAN_E_INVALID_ARGUMENT. */
    capstan_status (*decrease_target)(void *self, capstan_op op, const capstan_resize *resize)
        CAPSTAN_NOEXCEPT;
    /** -> CAPSTAN_RESULT_REMOVED. Removes these machines and lowers the target with them. One that cannot go
     *  is in `failed` and keeps no other. Below the group's minimum without `force`:
     *  CAPSTAN_E_INVALID_ARGUMENT. */
    capstan_status (*remove)(void *self, capstan_op op, const capstan_removal *removal) CAPSTAN_NOEXCEPT;
} capstan_cloud;

#define CAPSTAN_INTERFACE_TEMPLATES "capstan.cloud.templates/1"

typedef struct capstan_cloud_templates {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [strand] Asynchronous -> CAPSTAN_RESULT_TEMPLATE. Asked again only when the group's fingerprint
     *  changes. Must not block. An error: what the group's nodes would be stays unknown. */
    capstan_status (*describe)(void *self, capstan_op op, capstan_str group_id) CAPSTAN_NOEXCEPT;
} capstan_cloud_templates;

#define CAPSTAN_INTERFACE_PRICING "capstan.cloud.pricing/1"

enum { CAPSTAN_PRICE_INTERRUPTION_RATE = 1u };

typedef struct capstan_price {
    uint32_t struct_size;
    int32_t spot; /* nonzero: may be reclaimed by the cloud */
    uint64_t present;
    double per_hour;          /* of one node */
    double interruption_rate; /* per hour, 0 to 1 */
    char currency[8];         /* ISO 4217: three capital letters, NUL-padded; else the price is left out */
} capstan_price;

typedef struct capstan_cloud_pricing {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [compute] Fills `*out` (the caller sets its struct_size), from what is known already. May run while
     *  the cloud's functions run on the strand. CAPSTAN_E_NOT_FOUND: no price known. */
    capstan_status (*price)(void *self, const capstan_call *call, const capstan_template *node,
                            capstan_price *out) CAPSTAN_NOEXCEPT;
} capstan_cloud_pricing;

#define CAPSTAN_INTERFACE_OPTIONS "capstan.cloud.options/1"

enum {
    CAPSTAN_GROUP_OPTION_UTILIZATION = 1u,
    CAPSTAN_GROUP_OPTION_GPU_UTILIZATION = 2u,
    CAPSTAN_GROUP_OPTION_UNNEEDED = 4u,
    CAPSTAN_GROUP_OPTION_UNREADY = 8u,
    CAPSTAN_GROUP_OPTION_PROVISION = 16u,
    CAPSTAN_GROUP_OPTION_DRAIN = 32u,
    CAPSTAN_GROUP_OPTION_ZERO_OR_MAX = 64u,
    CAPSTAN_GROUP_OPTION_IGNORE_DAEMONSETS = 128u
};

/** A group's own wishes. What is not in `present` leaves the host's default alone. */
typedef struct capstan_group_options {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t present;             /* CAPSTAN_GROUP_OPTION_* */
    double utilization_threshold; /* 0 to 1 */
    double gpu_utilization_threshold;
    int64_t unneeded_ns, unready_ns;
    int64_t max_provision_ns;
    int64_t drain_timeout_ns;
    int32_t zero_or_max; /* nonzero: only ever empty or full */
    int32_t ignore_daemonsets;
} capstan_group_options;

typedef struct capstan_cloud_options {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [compute] Fills `*out` (the caller sets its struct_size and zeroes `present`), from what is known
     *  already. May run while the cloud's functions run on the strand. An error: the host's defaults are
     *  used. */
    capstan_status (*get)(void *self, const capstan_call *call, const capstan_group *group,
                          capstan_group_options *out) CAPSTAN_NOEXCEPT;
} capstan_cloud_options;

CAPSTAN_END_DECLS
#endif
