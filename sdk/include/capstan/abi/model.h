/* capstan/abi/model.h - the data of the boundary: node group, template, pod equivalence group, option. */
#ifndef CAPSTAN_ABI_MODEL_H
#define CAPSTAN_ABI_MODEL_H

#include "base.h"

CAPSTAN_BEGIN_DECLS

enum {
    CAPSTAN_PRICE_PER_HOUR = 1u, /* absent: the price is not known */
    CAPSTAN_PRICE_INTERRUPTION_RATE = 2u
};

/** The price of one node. */
typedef struct capstan_price {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t present;         /* CAPSTAN_PRICE_* */
    double per_hour;          /* of one node, at least 0 */
    double interruption_rate; /* per hour, 0 to 1: how often the cloud takes such a node back */
    char currency[8];         /* ISO 4217: three capital letters, NUL-padded */
} capstan_price;

enum {
    CAPSTAN_GROUP_OPTION_UTILIZATION = 1u,
    CAPSTAN_GROUP_OPTION_GPU_UTILIZATION = 2u,
    CAPSTAN_GROUP_OPTION_UNNEEDED = 4u,
    CAPSTAN_GROUP_OPTION_UNREADY = 8u,
    CAPSTAN_GROUP_OPTION_PROVISION = 16u,
    CAPSTAN_GROUP_OPTION_DRAIN = 32u,
    CAPSTAN_GROUP_OPTION_ZERO_OR_MAX = 64u,
    CAPSTAN_GROUP_OPTION_IGNORE_DAEMONSETS = 128u,
    CAPSTAN_GROUP_OPTION_DEVICE_SETTLING = 256u,
    CAPSTAN_GROUP_OPTION_SETTLING = 512u
};

/** A group's own autoscaling options. The host's default counts for an option that is not in `present`. */
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
    /* How long a ready node may lack extended resources of its template (`device_settling_ns`), and
     * how long it may lack labels or have additional taints (`settling_ns`). */
    int64_t device_settling_ns, settling_ns;
} capstan_group_options;

enum {
    CAPSTAN_GROUP_MIN = 1u,
    CAPSTAN_GROUP_MAX = 2u,
    CAPSTAN_GROUP_TARGET = 4u,
    CAPSTAN_GROUP_HEALTH = 8u,
    CAPSTAN_GROUP_AUTOPROVISIONED = 16u,
    CAPSTAN_GROUP_SPOT = 32u
};

/** A node group: machines of one kind that a cloud grows and shrinks together. A number is
 *  meaningful only if its bit is in `present`. Ids are unique within one cloud. When two clouds of
 *  a host have groups with the same id, the group of the cloud that comes first in
 *  `pipeline.clouds` counts, and the other group is left out and reported. */
typedef struct capstan_group {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t present; /* CAPSTAN_GROUP_* */
    capstan_str id;
    int32_t min, max;
    int32_t target;                   /* requested machines without DELETING ones */
    int32_t healthy;                  /* 0: the cloud itself says that the group cannot grow now */
    int32_t autoprovisioned;          /* nonzero: made by node auto-provisioning, may be deleted */
    int32_t spot;                     /* nonzero: the cloud may take its machines back */
    capstan_str health_reason;        /* a sentence, when not healthy */
    capstan_str debug;                /* for debugging */
    capstan_str template_fingerprint; /* equal text = equal template; empty: unknown */
    capstan_array tags;               /* capstan_kv, the provider's own */
    capstan_array zones;              /* capstan_str: where its machines may be made; empty: unknown */
    const capstan_price *price; /* of a new node; NULL: capstan.cloud.pricing/1 is asked, if there is one */
    const capstan_group_options *options; /* NULL: capstan.cloud.options/1 is asked, if there is one */
} capstan_group;

/** The node template of a group: what one new node will offer. */
typedef struct capstan_template {
    uint32_t struct_size;
    int32_t variants; /* number of machine types it stands for; more than 1: amounts are the minimum */
    capstan_str name;
    capstan_str machine_type, zone, arch, os; /* empty: unknown */
    capstan_array labels, annotations;        /* capstan_kv */
    capstan_array taints;                     /* capstan_taint */
    capstan_array capacity;                   /* capstan_quantity: of the machine */
    capstan_array allocatable;                /* capstan_quantity: capacity less what the system reserves */
    capstan_array free; /* capstan_quantity: allocatable less DaemonSet and static pods */
    /** As capstan_group.template_fingerprint. It changes if, and only if, something changes that
     *  determines the labels, taints, resources, machine type or image of new nodes. The host asks
     *  for the template again when the group's fingerprint changes. It compares the group's
     *  fingerprint with those of the group's machines. */
    capstan_str fingerprint;
} capstan_template;

enum {
    CAPSTAN_OPERATOR_IN = 1,
    CAPSTAN_OPERATOR_NOT_IN = 2,
    CAPSTAN_OPERATOR_EXISTS = 3,
    CAPSTAN_OPERATOR_DOES_NOT_EXIST = 4,
    CAPSTAN_OPERATOR_GT = 5,
    CAPSTAN_OPERATOR_LT = 6
};

/** One expression of a node selector term, with Kubernetes' meaning. */
typedef struct capstan_requirement {
    uint32_t struct_size;
    int32_t op; /* CAPSTAN_OPERATOR_* */
    capstan_str key;
    capstan_array values; /* capstan_str */
} capstan_requirement;

/** All requirements of a term must hold. A required affinity holds when one of its terms does. */
typedef struct capstan_node_selector_term {
    uint32_t struct_size;
    int32_t weight;       /* 1 to 100 in a preferred term, else 0 */
    capstan_array labels; /* capstan_requirement on labels (matchExpressions) */
    capstan_array fields; /* capstan_requirement on fields (matchFields) */
} capstan_node_selector_term;

enum { CAPSTAN_TOLERATION_EQUAL = 1, CAPSTAN_TOLERATION_EXISTS = 2 };

typedef struct capstan_toleration {
    uint32_t struct_size;
    int32_t op; /* CAPSTAN_TOLERATION_* */
    capstan_str key, value;
    int32_t effect; /* CAPSTAN_EFFECT_*; 0: every effect */
    int32_t reserved;
} capstan_toleration;

/** A pod equivalence group: pods that no scheduler can tell apart, and their number. */
typedef struct capstan_pod_equivalence_group {
    uint32_t struct_size;
    uint32_t count;         /* number of these pods in the request */
    capstan_str ns;         /* namespace */
    capstan_str example;    /* name of the pod that is first by name */
    capstan_str owner_kind; /* "ReplicaSet"; empty: no controller */
    capstan_str owner_name;
    capstan_str scheduler;            /* "default-scheduler" */
    capstan_array requests;           /* capstan_quantity, effective (init, sidecars, overhead counted) */
    capstan_array labels;             /* capstan_kv */
    capstan_array annotations;        /* capstan_kv */
    capstan_array node_selector;      /* capstan_kv */
    capstan_array affinity_required;  /* capstan_node_selector_term; empty: none */
    capstan_array affinity_preferred; /* capstan_node_selector_term */
    capstan_array tolerations;        /* capstan_toleration */
    int32_t priority;
    int32_t reserved;
} capstan_pod_equivalence_group;

/** How many pods of an equivalence group an option helps. Frozen. */
typedef struct capstan_pod_share {
    uint32_t equivalence_group; /* index into the request's pods */
    uint32_t count;
} capstan_pod_share;

enum { CAPSTAN_OPTION_PRICE = 1u };

/** One option of a scale-up: `nodes` more nodes in `group` make room for `pods`. */
typedef struct capstan_option {
    uint32_t struct_size;
    int32_t nodes;                /* at least 1 */
    uint64_t present;             /* CAPSTAN_OPTION_* */
    const capstan_group *group;   /* never NULL */
    const capstan_template *node; /* what each new node offers; NULL: unknown */
    capstan_array pods;           /* capstan_pod_share; options may share one array */
    capstan_array requested;      /* capstan_quantity: the sum over those pods */
    uint32_t pod_count;           /* the sum over `pods` */
    int32_t group_exists;         /* 0: auto-provisioning would create the group first */
    capstan_array similar;        /* capstan_str: ids of groups the growth may be shared with */
    /** Of one node. All options of a pass use one currency; prices in others are left out. */
    double price_per_hour;
} capstan_option;

CAPSTAN_END_DECLS
#endif
