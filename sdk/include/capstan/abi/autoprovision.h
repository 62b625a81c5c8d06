/* capstan/abi/autoprovision.h - "capstan.cloud.autoprovision/1": a cloud's companion that makes and deletes
 * node groups. */
#ifndef CAPSTAN_ABI_AUTOPROVISION_H
#define CAPSTAN_ABI_AUTOPROVISION_H

#include "call.h"
#include "model.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_INTERFACE_AUTOPROVISION "capstan.cloud.autoprovision/1"

enum { CAPSTAN_MACHINE_OFFERING_PRICE = 1u };

/** An offering of a machine type: a zone, and whether its machines are spot machines. */
typedef struct capstan_machine_offering {
    uint32_t struct_size;
    int32_t spot;          /* nonzero: may be reclaimed by the cloud */
    uint64_t present;      /* CAPSTAN_MACHINE_OFFERING_* */
    capstan_str zone;      /* empty: the cloud chooses one, or has no zones */
    capstan_array labels;  /* capstan_kv: node labels that follow from this offering (zone, region, spot) */
    double price_per_hour; /* of one node */
    char currency[8];      /* of the price, as capstan_price.currency */
} capstan_machine_offering;

/** A machine type of which a cloud would make groups. The names of a cloud's machine types are unique. The
 *  offerings of a type differ in `zone` or in `spot`. */
typedef struct capstan_machine_type {
    uint32_t struct_size;
    uint32_t reserved;
    capstan_str name;          /* "n1-standard-4" */
    capstan_array labels;      /* capstan_kv: labels of its nodes in every zone (type, arch, os) */
    capstan_array taints;      /* capstan_taint: taints that the cloud puts on all of its nodes */
    capstan_array capacity;    /* capstan_quantity: of the machine */
    capstan_array allocatable; /* capstan_quantity: capacity less what is reserved for the system */
    capstan_array offerings;   /* capstan_machine_offering; none: the type is not on offer */
} capstan_machine_type;

typedef struct capstan_machine_types {
    uint32_t struct_size;
    uint32_t reserved;
    capstan_array types; /* capstan_machine_type */
} capstan_machine_types;

/** The plan of a group that does not exist. Equal plans have equal names, so an equal group is found again
 *  and never made twice. */
typedef struct capstan_group_plan {
    uint32_t struct_size;
    int32_t spot;
    capstan_str name; /* lower-case letters, digits and '-' */
    capstan_str machine_type, zone;
    capstan_array labels; /* capstan_kv: in addition to those of machine type and offering */
    capstan_array taints; /* capstan_taint: in addition to those of the machine type */
} capstan_group_plan;

/** Receives the one answer of `new_group`; copied. */
typedef struct capstan_new_group_response {
    uint32_t struct_size;
    uint32_t reserved;
    void *ctx;
    /** Gives the group as `refresh` would list it once it is made, and the template of its nodes. The group
     *  has an id, no machines, min 0, no max of its own, the mark autoprovisioned, and its price and options
     *  where they are known. Exactly once per call that succeeds. */
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
    /** [strand] Asynchronous -> CAPSTAN_RESULT_MACHINE_TYPES. Called after each `refresh` that
     *  succeeded, if the configuration has a group source; must not block. After an error the cloud
     *  makes no group in this pass. */
    capstan_status (*machine_types)(void *self, capstan_op op,
                                    const capstan_machine_types_request *request) CAPSTAN_NOEXCEPT;
    /** [compute] Answers the group that a plan would become, a theoretical group that `refresh` does not
     *  list. Pure: it uses what the plugin has read already. May run while the cloud's functions run on the
     *  strand. CAPSTAN_E_UNSUPPORTED: the plan is not possible (the type is not offered in that zone, a label
     *  contradicts the machine); the plan is dropped and not reported. */
    capstan_status (*new_group)(void *self, const capstan_call *call, const capstan_group_plan *plan,
                                const capstan_new_group_response *out) CAPSTAN_NOEXCEPT;
    /** [strand] Asynchronous -> CAPSTAN_RESULT_NONE. Makes the group, with target 0 and without autoscaling
     *  by the cloud itself; ends once `increase` would work on it. Succeeds when the group exists already and
     *  is like the plan. CAPSTAN_E_CONFLICT: a different group has its name. CAPSTAN_E_QUOTA and
     *  CAPSTAN_E_OUT_OF_CAPACITY back the group off. */
    capstan_status (*create)(void *self, capstan_op op, const capstan_group_plan *plan) CAPSTAN_NOEXCEPT;
    /** [strand] Asynchronous -> CAPSTAN_RESULT_NONE. Deletes a group that `create` made. CAPSTAN_E_NOT_FOUND:
     *  the group is gone already. CAPSTAN_E_CONFLICT: it has machines, or a target above 0.
     *  CAPSTAN_E_PERMISSION: it was not made by `create`. */
    capstan_status (*destroy)(void *self, capstan_op op, const capstan_destroy_request *request)
        CAPSTAN_NOEXCEPT;
} capstan_cloud_autoprovision;

CAPSTAN_END_DECLS
#endif
