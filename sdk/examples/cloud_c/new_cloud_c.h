/* A cloud whose machines exist only in memory: one group from the configuration, machines that take
 * a while to boot. To use a real cloud, replace the functions with calls to its API. plugin.c
 * implements the plugin ABI. */
#ifndef NEW_CLOUD_C_H
#define NEW_CLOUD_C_H

#include <capstan/abi/cloud.h>

#define NEW_CLOUD_C_MACHINES_MAX 1000
#define NEW_CLOUD_C_KEYS_MAX 64

typedef struct new_cloud_c_machine {
    int64_t number;       /* never reused */
    int64_t requested_ns; /* by the host's monotonic clock */
} new_cloud_c_machine;

typedef struct new_cloud_c_state {
    capstan_str group; /* a constant */
    int64_t min, max, boot_ns, cores, memory_gib;
    int64_t next_number;
    int32_t target; /* number of machines; the oldest comes first */
    new_cloud_c_machine machines[NEW_CLOUD_C_MACHINES_MAX];
    /* The last responses by idempotency key, so that a repeated request has one effect. */
    struct {
        char key[128];
        int32_t answer;
    } answered[NEW_CLOUD_C_KEYS_MAX];
    uint32_t answers;
} new_cloud_c_state;

int new_cloud_c_runs(const new_cloud_c_state* self, const new_cloud_c_machine* machine,
                     int64_t now_ns);

/* Each function returns CAPSTAN_OK and changes the state, or returns an error, leaves the state
 * unchanged and sets `*why` to a sentence. The first two set `*target` to the group's target. */
capstan_status new_cloud_c_increase(new_cloud_c_state* self, const capstan_resize* resize,
                                    int64_t now_ns, int32_t* target, const char** why);
/* Cancels requests for machines that do not run yet, the youngest first. */
capstan_status new_cloud_c_decrease(new_cloud_c_state* self, const capstan_resize* resize,
                                    int64_t now_ns, int32_t* target, const char** why);
capstan_status new_cloud_c_remove(new_cloud_c_state* self, capstan_str machine_id,
                                  const char** why);

/* The id of a machine, which its node has as spec.providerID; `out` has room for 64 characters. */
capstan_str new_cloud_c_machine_id(const new_cloud_c_machine* machine, char* out);

#endif
