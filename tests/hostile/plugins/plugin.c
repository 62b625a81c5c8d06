/* The plugin: one misbehaving class of each kind, and the lifecycle of an instance. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misbehaving.h"

#define CONSTANT(literal) {literal, sizeof(literal) - 1}

enum { tasks_count = 2000 };
static const int64_t soon_ns = 300000000;

CAPSTAN_NOTE("test.misbehaving-in-c", "0.1.0",
             CAPSTAN_KIND_EXPANDER ";" CAPSTAN_KIND_CLOUD ";" CAPSTAN_KIND_CONTROLLER)

static const void* interface_of(void* of, const char* id) {
    misbehaving* const self = of;
    if (breaks(self, "create", "no_interface")) return NULL;
    if (strcmp(id, self->kind) == 0) return self->table;
    if (strcmp(self->kind, CAPSTAN_KIND_CLOUD) != 0) return NULL;
    if (strcmp(id, CAPSTAN_INTERFACE_TEMPLATES) == 0) return &self->templates;
    if (strcmp(id, CAPSTAN_INTERFACE_PRICING) == 0) return &self->pricing;
    if (strcmp(id, CAPSTAN_INTERFACE_OPTIONS) == 0) return &self->options;
    return NULL;
}

static void* act_in_thread(void* self) {
    pause_for_ms(500);
    misbehave(self, "thread");
    return NULL;
}
static void act_in_callback(void* self, capstan_status status) {
    if (status == CAPSTAN_OK) misbehave(self, "callback");
}
static void work(void* self) { misbehave(self, "blocking"); }
static void work_is_done(void* self, capstan_status status) {
    (void)self;
    (void)status;
}
/* Posts itself again until the host refuses it. */
static void come_again(void* of, capstan_status status) {
    misbehaving* const self = of;
    if (status == CAPSTAN_OK) self->exec->post(self->host, come_again, self);
}

static void begin_acts(misbehaving* self) {
    if (strcmp(self->at, "thread") == 0) start_thread(act_in_thread, self);
    if (breaks(self, "callback", "come_again")) {
        for (int i = 0; i < tasks_count; ++i) self->exec->post(self->host, come_again, self);
        return;
    }
    if (strcmp(self->at, "callback") == 0)
        self->exec->after(self->host, soon_ns, act_in_callback, self, NULL);
    if (strcmp(self->at, "blocking") == 0)
        self->exec->blocking(self->host, work, work_is_done, self);
}

static capstan_status start(void* of, capstan_op op, const capstan_start_request* request) {
    (void)request;
    misbehaving* const self = of;
    misbehave(self, "start");
    begin_acts(self);
    return end(self, "start", op, CAPSTAN_RESULT_NONE, NULL);
}

static capstan_status stop(void* of, capstan_op op, const capstan_stop_request* request) {
    (void)request;
    const misbehaving* const self = of;
    misbehave(self, "stop");
    return end(self, "stop", op, CAPSTAN_RESULT_NONE, NULL);
}

static void destroy(void* of) {
    misbehaving* const self = of;
    misbehave(self, "destroy");
    void* volatile again = breaks(self, "destroy", "free_twice") ? self : NULL;
    free(self);
    free(again);
}

static void read_word(const capstan_settings* settings, capstan_str key, char* out) {
    capstan_str word = {NULL, 0};
    const capstan_cursor at = settings->member(settings, CAPSTAN_CURSOR_ROOT, key);
    if (settings->get_text(settings, at, &word) != CAPSTAN_OK || word.len >= word_size) return;
    memcpy(out, word.ptr, word.len);
}

static void read_settings(misbehaving* self, const capstan_settings* settings) {
    read_word(settings, TEXT("at"), self->at);
    read_word(settings, TEXT("act"), self->act);
}

static capstan_status check(const capstan_settings* settings, const capstan_call* call) {
    misbehaving self = {0};
    (void)call;
    read_settings(&self, settings);
    misbehave(&self, "check");
    return CAPSTAN_OK;
}

static capstan_status create(const capstan_host* host, const capstan_settings* settings,
                             void (*become)(misbehaving*), const capstan_instance** out) {
    misbehaving* const self = calloc(1, sizeof *self);
    if (self == NULL) return CAPSTAN_E_INTERNAL;
    read_settings(self, settings);
    self->host = host;
    self->exec = host->service(host, CAPSTAN_SERVICE_EXEC);
    self->ops = host->service(host, CAPSTAN_SERVICE_OPS);
    self->log = host->service(host, CAPSTAN_SERVICE_LOG);
    self->instance = (capstan_instance){.struct_size = sizeof self->instance,
                                        .self = self,
                                        .interface_of = interface_of,
                                        .start = start,
                                        .stop = stop,
                                        .destroy = destroy};
    become(self);
    misbehave(self, "create");
    if (breaks(self, "create", "no_instance")) return CAPSTAN_OK;
    if (breaks(self, "create", "unknown_status")) return 4711;
    if (breaks(self, "create", "small_instance")) self->instance.struct_size = 0;
    *out = &self->instance;
    return CAPSTAN_OK;
}
static capstan_status create_expander(const capstan_host* host, const capstan_settings* settings,
                                      const capstan_call* call, const capstan_instance** out) {
    (void)call;
    return create(host, settings, become_expander, out);
}
static capstan_status create_cloud(const capstan_host* host, const capstan_settings* settings,
                                   const capstan_call* call, const capstan_instance** out) {
    (void)call;
    return create(host, settings, become_cloud, out);
}
static capstan_status create_controller(const capstan_host* host, const capstan_settings* settings,
                                        const capstan_call* call, const capstan_instance** out) {
    (void)call;
    return create(host, settings, become_controller, out);
}

static const capstan_field fields[] = {
    {.struct_size = sizeof(capstan_field),
     .type = CAPSTAN_TYPE_STRING,
     .key = CONSTANT("at"),
     .doc = CONSTANT("The function that breaks a rule."),
     .default_value = CONSTANT("\"\"")},
    {.struct_size = sizeof(capstan_field),
     .type = CAPSTAN_TYPE_STRING,
     .key = CONSTANT("act"),
     .doc = CONSTANT("How it breaks one."),
     .default_value = CONSTANT("\"\"")},
};

#define CLASS(name, of_kind, make)          \
    {.struct_size = sizeof(capstan_class),  \
     .class_id = CONSTANT(name),            \
     .kind = CONSTANT(of_kind),             \
     .doc = CONSTANT("Breaks one rule."),   \
     .fields = {fields, 2, sizeof *fields}, \
     .check = check,                        \
     .create = make}

static const capstan_class all_classes[] = {
    CLASS("expander", CAPSTAN_KIND_EXPANDER, create_expander),
    CLASS("cloud", CAPSTAN_KIND_CLOUD, create_cloud),
    CLASS("controller", CAPSTAN_KIND_CONTROLLER, create_controller),
};
static const capstan_class_list class_list = {
    sizeof class_list, 0, {all_classes, 3, sizeof *all_classes}};
static const capstan_class_list* classes(void) { return &class_list; }

CAPSTAN_EXPORT const capstan_entry capstan_entry_1 = {
    .magic = CAPSTAN_MAGIC,
    .struct_size = sizeof(capstan_entry),
    .abi_major = CAPSTAN_ABI_MAJOR,
    .abi_minor_built = CAPSTAN_ABI_MINOR_LATEST,
    .abi_minor_required = CAPSTAN_ABI_MINOR,
    .plugin_id = CONSTANT("test.misbehaving-in-c"),
    .version = CONSTANT("0.1.0"),
    .vendor = CONSTANT("Capstan's tests"),
    .classes = classes,
};
