/* capstan/abi/group_source.h - "capstan.group_source/1": node groups that could exist. */
#ifndef CAPSTAN_ABI_GROUP_SOURCE_H
#define CAPSTAN_ABI_GROUP_SOURCE_H

#include "autoprovision.h"
#include "call.h"
#include "model.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_KIND_GROUP_SOURCE "capstan.group_source/1"

/** An existing group, and the template of its nodes. */
typedef struct capstan_existing_group {
    uint32_t struct_size;
    uint32_t reserved;
    const capstan_group *group;   /* never NULL */
    const capstan_template *node; /* NULL: unknown */
} capstan_existing_group;

/** Asks about the machine types of one cloud. The host makes one request for each cloud that makes
 *  groups. */
typedef struct capstan_group_source_request {
    uint32_t struct_size;
    uint32_t reserved;
    capstan_array pods; /* capstan_pod_equivalence_group: pods without room on existing and upcoming nodes */
    capstan_array machines; /* capstan_machine_type of that cloud, ordered by name */
    capstan_array existing; /* capstan_existing_group of all clouds, ordered by id */
    /** capstan_quantity: how much the cluster may still grow, by resource. "nodes" and "gpu" (of all
     *  makes) are among the names. An absent resource has no limit. */
    capstan_array room;
    capstan_str cloud; /* the cloud that offers the machines: id of its plugin instance */
} capstan_group_source_request;

typedef struct capstan_group_source_response {
    uint32_t struct_size;
    uint32_t reserved;
    void *ctx;
    /** Suggests a group, and says in one sentence why; copied. A group that exists already may be suggested,
     *  and is recognized by its name. The call fails when a name comes twice, or when a machine type, zone or
     *  `spot` is not on offer. */
    void (*suggest)(const struct capstan_group_source_response *out, const capstan_group_plan *plan,
                    capstan_str because) CAPSTAN_NOEXCEPT;
    /** Says why a machine type is not suggested, or not in every zone; copied. The first reason is
     *  shown for the pods, so begin with the machine type that comes closest to fitting them. */
    void (*leave_out)(const struct capstan_group_source_response *out, capstan_str machine_type,
                      capstan_str because) CAPSTAN_NOEXCEPT;
    /** Limits how many groups the cluster may have; all groups count. A negative number fails the call. When
     *  this is not called there is no limit. */
    void (*limit_groups)(const struct capstan_group_source_response *out, int32_t most) CAPSTAN_NOEXCEPT;
} capstan_group_source_response;

typedef struct capstan_group_source {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [compute] Equal requests get equal answers: the name of a group follows from its plan, never from the
     *  time. */
    capstan_status (*suggest)(void *self, const capstan_call *call, const capstan_group_source_request *in,
                              const capstan_group_source_response *out) CAPSTAN_NOEXCEPT;
    /** [compute] Whether this source suggested the group at some time, so that it may be deleted when it is
     *  empty: sets `*owns` to 0 or 1. Called only for groups that their cloud marks as autoprovisioned. */
    capstan_status (*owns)(void *self, const capstan_call *call, const capstan_group *group,
                           int32_t *owns) CAPSTAN_NOEXCEPT;
} capstan_group_source;

CAPSTAN_END_DECLS
#endif
