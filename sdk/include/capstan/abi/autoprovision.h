/* capstan/abi/autoprovision.h - "capstan.cloud.autoprovision/1": a cloud's companion that makes and deletes
 * node groups. */
#ifndef CAPSTAN_ABI_AUTOPROVISION_H
#define CAPSTAN_ABI_AUTOPROVISION_H

#include "call.h"
#include "model.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_INTERFACE_AUTOPROVISION "capstan.cloud.autoprovision/1"

enum { CAPSTAN_MACHINE_OFFERING_PRICE = 1u };

/** One way to have machines of a type: where, and whether the cloud may take them back. */
typedef struct capstan_machine_offering {
    uint32_t struct_size;
    int32_t spot;          /* nonzero: may be reclaimed by the cloud */
    uint64_t present;      /* CAPSTAN_MACHINE_OFFERING_* */
    capstan_str zone;      /* empty: the cloud chooses, or has none */
    capstan_array labels;  /* capstan_kv: what nodes carry because of this offering (zone, region, spot) */
    double price_per_hour; /* of one node */
    char currency[8];      /* of that price, as capstan_price.currency */
} capstan_machine_offering;

/** A machine type of which a cloud would make groups. No two of a cloud have one name, no two offerings of a type
 *  one zone and one `spot`. */
typedef struct capstan_machine_type {
    uint32_t struct_size;
    uint32_t reserved;
    capstan_str name;          /* "n1-standard-4" */
    capstan_array labels;      /* capstan_kv: what its nodes carry wherever they are (type, arch, os) */
    capstan_array taints;      /* capstan_taint: what the cloud puts on all of its nodes */
    capstan_array capacity;    /* capstan_quantity: the machine */
    capstan_array allocatable; /* capstan_quantity: less what the system keeps */
    capstan_array offerings;   /* capstan_machine_offering; none: cannot be had */
} capstan_machine_type;

typedef struct capstan_machine_types {
    uint32_t struct_size;
    uint32_t reserved;
    capstan_array types; /* capstan_machine_type */
} capstan_machine_types;

/** What a group that does not exist would be. Equal plans have equal names, so an equal group is found again
 *  and never made twice. */
typedef struct capstan_group_plan {
    uint32_t struct_size;
    int32_t spot;
    capstan_str name; /* lower-case letters, digits and '-' */
    capstan_str machine_type, zone;
    capstan_array labels; /* capstan_kv: besides those of machine type and offer */
    capstan_array taints; /* capstan_taint: besides those of the machine type */
} capstan_group_plan;

/** Receives the one answer of `new_group`; copied. */
typedef struct capstan_new_group_response {
    uint32_t struct_size;
    uint32_t reserved;
    void *ctx;
    /** The group as `refresh` would list it once made, with no machines: its id, min 0, no max of its own, marked
     *  autoprovisioned, with its price and options where they are known. And what a node of it would be. Exactly
     *  once per call that succeeds. */
    void (*answer)(const struct capstan_new_group_response *out, const capstan_group *group,
                   const capstan_template *node) CAPSTAN_NOEXCEPT;
} capstan_new_group_response;

typedef struct capstan_machine_types_request {
    uint32_t struct_size;
    uint32_t flags; /* CAPSTAN_CALL_* */
} capstan_machine_types_request;

typedef struct capstan_destroy_request {
    uint32_t struct_size;
    uint32_t flags; /* CAPSTAN_CALL_* */
    capstan_str group_id;
} capstan_destroy_request;

typedef struct capstan_cloud_autoprovision {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [strand] Asynchronous -> CAPSTAN_RESULT_MACHINE_TYPES. Once per pass, after `refresh`; must not block. An
     *  error: no group is made in this pass. */
    capstan_status (*machine_types)(void *self, capstan_op op,
                                    const capstan_machine_types_request *request) CAPSTAN_NOEXCEPT;
    /** [compute] What a plan would become, from what is known already: a theoretical group, which `refresh` does
     *  not list. Pure; may run while the cloud's functions run on the strand. CAPSTAN_E_UNSUPPORTED: these do not
     *  go together (no such type in that zone, a label the machine contradicts); the plan is dropped without
     *  a complaint. */
    capstan_status (*new_group)(void *self, const capstan_call *call, const capstan_group_plan *plan,
                                const capstan_new_group_response *out) CAPSTAN_NOEXCEPT;
    /** [strand] Asynchronous -> CAPSTAN_RESULT_NONE. Makes the group, with target 0 and no autoscaling of the
     *  cloud's own; ends once `increase` would work on it. It is there already and is like the plan: done. Another
     *  one has its name: CAPSTAN_E_CONFLICT. CAPSTAN_E_QUOTA and CAPSTAN_E_OUT_OF_CAPACITY back it off. */
    capstan_status (*create)(void *self, capstan_op op, const capstan_group_plan *plan) CAPSTAN_NOEXCEPT;
    /** [strand] Asynchronous -> CAPSTAN_RESULT_NONE. Deletes a group that `create` made. Gone already:
     *  CAPSTAN_E_NOT_FOUND. It has machines, or a target above 0: CAPSTAN_E_CONFLICT. Not made by `create`:
     *  CAPSTAN_E_PERMISSION. */
    capstan_status (*destroy)(void *self, capstan_op op, const capstan_destroy_request *request)
        CAPSTAN_NOEXCEPT;
} capstan_cloud_autoprovision;

CAPSTAN_END_DECLS
#endif
