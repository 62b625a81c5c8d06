/* capstan/abi/group_source.h - "capstan.group_source/1": node groups that could exist. */
#ifndef CAPSTAN_ABI_GROUP_SOURCE_H
#define CAPSTAN_ABI_GROUP_SOURCE_H

#include "autoprovision.h"
#include "call.h"
#include "model.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_KIND_GROUP_SOURCE "capstan.group_source/1"

/** A group that is there, and what a new node of it would be. */
typedef struct capstan_existing_group {
    uint32_t struct_size;
    uint32_t reserved;
    const capstan_group *group;   /* never NULL */
    const capstan_template *node; /* NULL: unknown */
} capstan_existing_group;

/** Asked once per cloud that makes groups. */
typedef struct capstan_group_source_request {
    uint32_t struct_size;
    uint32_t reserved;
    capstan_array pods; /* capstan_pod_equivalence_group: without room on nodes that are there or to come */
    capstan_array machines; /* capstan_machine_type of the one cloud, ordered by name */
    capstan_array existing; /* capstan_existing_group of all clouds, ordered by id */
    capstan_array room; /* capstan_quantity: by how much the cluster may still grow, by resource; "nodes" and
                               "gpu" (of all makes) are among the names. What is not there has no limit. */
    capstan_str cloud;  /* whose machines these are: the instance, by its name in the configuration */
} capstan_group_source_request;

typedef struct capstan_group_source_response {
    uint32_t struct_size;
    uint32_t reserved;
    void *ctx;
    /** Suggests a group, and says in one sentence why; copied. Suggesting one that exists is harmless: it is
     *  recognised by its name. A name twice, or a machine type, zone or `spot` that is not on offer, fails the
     *  call. */
    void (*suggest)(const struct capstan_group_source_response *out, const capstan_group_plan *plan,
                    capstan_str because) CAPSTAN_NOEXCEPT;
    /** Says why a machine type is not suggested, or not in every zone; copied. The nearest miss first: pods get it. */
    void (*leave_out)(const struct capstan_group_source_response *out, capstan_str machine_type,
                      capstan_str because) CAPSTAN_NOEXCEPT;
    /** How many groups the cluster may have, all counted; a negative number fails the call. Not called: as many
     *  as it likes. */
    void (*limit_groups)(const struct capstan_group_source_response *out, int32_t most) CAPSTAN_NOEXCEPT;
} capstan_group_source_response;

typedef struct capstan_group_source {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [compute] Equal requests, equal answers: names come from what a group is, never from the time. */
    capstan_status (*suggest)(void *self, const capstan_call *call, const capstan_group_source_request *in,
                              const capstan_group_source_response *out) CAPSTAN_NOEXCEPT;
    /** [compute] Whether a group is one that this source suggested at some time, so that it may be deleted
     *  when it is empty: sets `*owns` to 0 or 1. Asked only of groups that their cloud marks as autoprovisioned. */
    capstan_status (*owns)(void *self, const capstan_call *call, const capstan_group *group,
                           int32_t *owns) CAPSTAN_NOEXCEPT;
} capstan_group_source;

CAPSTAN_END_DECLS
#endif
