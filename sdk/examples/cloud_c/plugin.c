#include <stdlib.h>
#include <string.h>

#include <capstan/abi/abi.h>

#include "new_cloud_c.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

/* One instance, made from one table of the configuration. */
typedef struct instance {
    capstan_instance base;
    capstan_cloud cloud;
    capstan_cloud_templates templates;
    const capstan_host* host;
    const capstan_ops* ops;
    const capstan_clock* clock;
    new_cloud_c_state logic;
} instance;

static int64_t now_of(const instance* self) { return self->clock->monotonic_ns(self->host); }

/* Ends the operation with an error, which the caller must not return, too. */
static capstan_status fail(const instance* self, capstan_op op, capstan_status status,
                           const char* why) {
    const capstan_error error = {.struct_size = sizeof error,
                                 .code = status,
                                 .message = {why, strlen(why)},
                                 .retry_after_ms = -1};
    self->ops->fail(self->host, op, &error);
    return CAPSTAN_OK;
}

/* The host copies the view before `complete` returns. */
static capstan_status refresh(void* context, capstan_op op,
                              const capstan_refresh_request* request) {
    (void)request; /* nothing is kept between two refreshes */
    instance* const self = context;
    const new_cloud_c_state* const logic = &self->logic;
    const capstan_group group = {
        .struct_size = sizeof group,
        .present = CAPSTAN_GROUP_MIN | CAPSTAN_GROUP_MAX | CAPSTAN_GROUP_TARGET,
        .id = logic->group,
        .min = (int32_t)logic->min,
        .max = (int32_t)logic->max,
        .target = logic->target,
        .healthy = 1,
        .template_fingerprint = TEXT("1")};
    capstan_machine machines[NEW_CLOUD_C_MACHINES_MAX];
    char ids[NEW_CLOUD_C_MACHINES_MAX][64];
    memset(machines, 0, sizeof machines);
    for (int32_t i = 0; i < logic->target; ++i) {
        const new_cloud_c_machine* const machine = &logic->machines[i];
        machines[i].struct_size = sizeof machines[i];
        machines[i].id = new_cloud_c_machine_id(machine, ids[i]);
        machines[i].group_id = logic->group;
        machines[i].state = new_cloud_c_runs(logic, machine, now_of(self))
                                ? CAPSTAN_MACHINE_RUNNING
                                : CAPSTAN_MACHINE_REQUESTED;
    }
    const capstan_cloud_view view = {
        .struct_size = sizeof view,
        .complete = 1,
        .groups = {&group, 1, sizeof group},
        .machines = {machines, (uint32_t)logic->target, sizeof machines[0]}};
    self->ops->complete(self->host, op, CAPSTAN_RESULT_CLOUD_VIEW, &view);
    return CAPSTAN_OK;
}

typedef capstan_status (*change)(new_cloud_c_state*, const capstan_resize*, int64_t, int32_t*,
                                 const char**);

static capstan_status resize(instance* self, capstan_op op, const capstan_resize* what,
                             change make) {
    const char* why = "";
    capstan_resized resized = {.struct_size = sizeof resized};
    const capstan_status status = make(&self->logic, what, now_of(self), &resized.target, &why);
    if (status != CAPSTAN_OK) return fail(self, op, status, why);
    self->ops->complete(self->host, op, CAPSTAN_RESULT_RESIZED, &resized);
    return CAPSTAN_OK;
}
static capstan_status increase(void* self, capstan_op op, const capstan_resize* what) {
    return resize(self, op, what, new_cloud_c_increase);
}
static capstan_status decrease_target(void* self, capstan_op op, const capstan_resize* what) {
    return resize(self, op, what, new_cloud_c_decrease);
}

/* The other machines are removed even if one cannot be. */
static capstan_status remove_machines(void* context, capstan_op op,
                                      const capstan_removal* removal) {
    instance* const self = context;
    const uint32_t count = removal->machine_ids.count;
    if (removal->keep_target)
        return fail(self, op, CAPSTAN_E_UNSUPPORTED, "replacing machines is not supported");
    if (!removal->force && self->logic.target - (int64_t)count < self->logic.min)
        return fail(self, op, CAPSTAN_E_INVALID_ARGUMENT, "below the group's minimum");
    capstan_error* const errors = calloc(count + 1, sizeof *errors);
    if (errors == NULL) return CAPSTAN_E_INTERNAL;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const char* const at =
            (const char*)removal->machine_ids.data + (size_t)i * removal->machine_ids.stride;
        const char* why = "";
        capstan_error error = {.struct_size = sizeof error, .retry_after_ms = -1};
        error.subject = *(const capstan_str*)at;
        error.code = new_cloud_c_remove(&self->logic, error.subject, &why);
        error.message = (capstan_str){why, strlen(why)};
        if (error.code != CAPSTAN_OK) errors[failed++] = error;
    }
    const capstan_removed removed = {.struct_size = sizeof removed,
                                     .failed = {errors, failed, sizeof *errors}};
    self->ops->complete(self->host, op, CAPSTAN_RESULT_REMOVED, &removed);
    free(errors);
    return CAPSTAN_OK;
}

static capstan_status describe(void* context, capstan_op op,
                               const capstan_describe_request* request) {
    const capstan_str group_id = request->group_id;
    instance* const self = context;
    const new_cloud_c_state* const logic = &self->logic;
    if (group_id.len != logic->group.len ||
        memcmp(group_id.ptr, logic->group.ptr, group_id.len) != 0)
        return fail(self, op, CAPSTAN_E_NOT_FOUND, "unknown group");
    const capstan_quantity amounts[] = {{TEXT("cpu"), logic->cores * 1000},
                                        {TEXT("memory"), logic->memory_gib << 30},
                                        {TEXT("pods"), 110}};
    const capstan_array all = {amounts, 3, sizeof amounts[0]};
    const capstan_template node = {.struct_size = sizeof node,
                                   .name = group_id,
                                   .capacity = all,
                                   .allocatable = all,
                                   .free = all,
                                   .fingerprint = TEXT("1")};
    self->ops->complete(self->host, op, CAPSTAN_RESULT_TEMPLATE, &node);
    return CAPSTAN_OK;
}

static const void* interface_of(void* context, const char* id) {
    const instance* const self = context;
    if (strcmp(id, CAPSTAN_KIND_CLOUD) == 0) return &self->cloud;
    return strcmp(id, CAPSTAN_INTERFACE_TEMPLATES) == 0 ? &self->templates : NULL;
}

/* The schema has a default for each setting, so the values are always there. */
static capstan_status read_settings(const capstan_settings* settings, new_cloud_c_state* logic) {
    const struct {
        capstan_str key;
        int64_t* value;
    } all[] = {{TEXT("min"), &logic->min},
               {TEXT("max"), &logic->max},
               {TEXT("cores"), &logic->cores},
               {TEXT("memory_gib"), &logic->memory_gib},
               {TEXT("boot_seconds"), &logic->boot_ns}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        const capstan_cursor at = settings->member(settings, CAPSTAN_CURSOR_ROOT, all[i].key);
        const capstan_status status = settings->get_integer(settings, at, all[i].value);
        if (status != CAPSTAN_OK) return status;
    }
    logic->boot_ns *= 1000000000;
    return logic->min <= logic->max ? CAPSTAN_OK : CAPSTAN_E_INVALID_CONFIG;
}

static capstan_status create(const capstan_host* host, const capstan_settings* settings,
                             const capstan_call* call, const capstan_instance** out) {
    (void)call;
    instance* const self = calloc(1, sizeof *self);
    if (self == NULL) return CAPSTAN_E_INTERNAL;
    self->host = host;
    self->ops = host->service(host, CAPSTAN_SERVICE_OPS);
    self->clock = host->service(host, CAPSTAN_SERVICE_CLOCK);
    self->logic.group = (capstan_str)TEXT("new_cloud_c");
    self->logic.next_number = 1;
    const capstan_status status = self->ops == NULL || self->clock == NULL
                                      ? CAPSTAN_E_UNSUPPORTED
                                      : read_settings(settings, &self->logic);
    if (status != CAPSTAN_OK) {
        free(self);
        return status;
    }
    /* Machines that exist from the start have booted already. */
    for (int64_t i = 0; i < self->logic.min; ++i) {
        const new_cloud_c_machine machine = {self->logic.next_number++,
                                             now_of(self) - self->logic.boot_ns};
        self->logic.machines[self->logic.target++] = machine;
    }
    self->cloud = (capstan_cloud){.struct_size = sizeof self->cloud,
                                  .self = self,
                                  .refresh = refresh,
                                  .increase = increase,
                                  .decrease_target = decrease_target,
                                  .remove = remove_machines};
    self->templates = (capstan_cloud_templates){
        .struct_size = sizeof self->templates, .self = self, .describe = describe};
    self->base = (capstan_instance){.struct_size = sizeof self->base,
                                    .self = self,
                                    .interface_of = interface_of,
                                    .destroy = free};
    *out = &self->base;
    return CAPSTAN_OK;
}

#define COUNT(name, text, otherwise, least, most)    \
    {.struct_size = sizeof(capstan_field),           \
     .flags = CAPSTAN_FIELD_MIN | CAPSTAN_FIELD_MAX, \
     .type = CAPSTAN_TYPE_INTEGER,                   \
     .key = TEXT(name),                              \
     .doc = TEXT(text),                              \
     .default_value = TEXT(otherwise),               \
     .min = least,                                   \
     .max = most}

static const capstan_field fields[] = {
    COUNT("min", "Minimum size of the group.", "1", 0, NEW_CLOUD_C_MACHINES_MAX),
    COUNT("max", "Maximum size of the group.", "10", 0, NEW_CLOUD_C_MACHINES_MAX),
    COUNT("cores", "Cores of a machine.", "4", 1, 1000),
    COUNT("memory_gib", "Memory of a machine, in GiB.", "16", 1, 100000),
    COUNT("boot_seconds", "Seconds until a requested machine runs.", "30", 0, 3600)};

static const capstan_class classes[] = {
    {.struct_size = sizeof(capstan_class),
     .concurrency = CAPSTAN_CONCURRENCY_SERIAL,
     .class_id = TEXT("new_cloud_c"),
     .kind = TEXT(CAPSTAN_KIND_CLOUD),
     .doc = TEXT("A cloud whose machines exist only in memory."),
     .fields = {fields, sizeof fields / sizeof fields[0], sizeof fields[0]},
     .create = create}};

static const capstan_class_list* list_classes(void) {
    static const capstan_class_list list = {sizeof list, 0, {classes, 1, sizeof(capstan_class)}};
    return &list;
}

CAPSTAN_NOTE("example.new_cloud_c", "0.1.0", CAPSTAN_KIND_CLOUD)

CAPSTAN_EXPORT extern const capstan_entry capstan_entry_1;
const capstan_entry capstan_entry_1 = {.magic = CAPSTAN_MAGIC,
                                       .struct_size = sizeof(capstan_entry),
                                       .abi_major = CAPSTAN_ABI_MAJOR,
                                       .abi_minor_built = CAPSTAN_ABI_MINOR_LATEST,
                                       .abi_minor_required = CAPSTAN_ABI_MINOR,
                                       .plugin_id = TEXT("example.new_cloud_c"),
                                       .version = TEXT("0.1.0"),
                                       .vendor = TEXT("Example"),
                                       .classes = list_classes};
