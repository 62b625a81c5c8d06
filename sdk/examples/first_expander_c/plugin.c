#include <stdlib.h>
#include <string.h>

#include <capstan/abi/abi.h>

#include "first_expander_c.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

/* One instance, made from one table of the configuration. */
typedef struct instance {
    capstan_instance base;
    capstan_expander expander;
    first_expander_c_state logic;
} instance;

static const void* interface_of(void* self, const char* id) {
    return strcmp(id, CAPSTAN_KIND_EXPANDER) == 0 ? &((instance*)self)->expander : NULL;
}

static capstan_status create(const capstan_host* host, const capstan_settings* settings,
                             const capstan_call* call, const capstan_instance** out) {
    (void)host;
    (void)call;
    instance* self = calloc(1, sizeof *self);
    if (self == NULL) return CAPSTAN_E_INTERNAL;
    /* The schema has a default, so the value is always there. */
    const capstan_str key = TEXT("enough");
    const capstan_cursor at = settings->member(settings, CAPSTAN_CURSOR_ROOT, key);
    const capstan_status status = settings->get_integer(settings, at, &self->logic.enough);
    if (status != CAPSTAN_OK) {
        free(self);
        return status;
    }
    self->expander.struct_size = sizeof self->expander;
    self->expander.self = &self->logic;
    self->expander.filter = first_expander_c_filter;
    self->base.struct_size = sizeof self->base;
    self->base.self = self;
    self->base.interface_of = interface_of;
    self->base.destroy = free;
    *out = &self->base;
    return CAPSTAN_OK;
}

static const capstan_field fields[] = {
    {.struct_size = sizeof(capstan_field),
     .flags = CAPSTAN_FIELD_MIN | CAPSTAN_FIELD_MAX,
     .type = CAPSTAN_TYPE_INTEGER,
     .key = TEXT("enough"),
     .doc = TEXT("Room for this many nodes or more counts as equal."),
     .default_value = TEXT("10"),
     .min = 1,
     .max = 1000000}};

static const capstan_class classes[] = {
    {.struct_size = sizeof(capstan_class),
     .flags = CAPSTAN_CLASS_PURE,
     .concurrency = CAPSTAN_CONCURRENCY_PARALLEL,
     .class_id = TEXT("first_expander_c"),
     .kind = TEXT(CAPSTAN_KIND_EXPANDER),
     .doc = TEXT("Keeps the options whose group has the most room left."),
     .fields = {fields, 1, sizeof(capstan_field)},
     .create = create}};

static const capstan_class_list* list_classes(void) {
    static const capstan_class_list list = {sizeof list, 0, {classes, 1, sizeof(capstan_class)}};
    return &list;
}

CAPSTAN_NOTE("example.first_expander_c", "0.1.0", CAPSTAN_KIND_EXPANDER)

CAPSTAN_EXPORT extern const capstan_entry capstan_entry_1;
const capstan_entry capstan_entry_1 = {.magic = CAPSTAN_MAGIC,
                                       .struct_size = sizeof(capstan_entry),
                                       .abi_major = CAPSTAN_ABI_MAJOR,
                                       .abi_minor_built = CAPSTAN_ABI_MINOR_LATEST,
                                       .abi_minor_required = CAPSTAN_ABI_MINOR,
                                       .plugin_id = TEXT("example.first_expander_c"),
                                       .version = TEXT("0.1.0"),
                                       .vendor = TEXT("Example"),
                                       .classes = list_classes};
