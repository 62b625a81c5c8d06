/* A complete plugin in C: an expander that keeps the options with the fewest nodes. Other test
 * plugins are built from this file with a TINY_ definition each, which usually adds a fault. */
#define _POSIX_C_SOURCE 200809L

#include <capstan/abi/abi.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(literal) {literal, sizeof(literal) - 1}

#ifndef TINY_ENTRY_MAGIC
#define TINY_ENTRY_MAGIC CAPSTAN_MAGIC
#endif
#ifndef TINY_ENTRY_VERSION
#define TINY_ENTRY_VERSION "0.1.0"
#endif
#ifndef TINY_INIT_STATUS
#define TINY_INIT_STATUS CAPSTAN_OK
#endif
#ifndef TINY_CREATE_STATUS
#define TINY_CREATE_STATUS CAPSTAN_OK
#endif
#ifndef TINY_OTHER_CLASS
#define TINY_OTHER_CLASS "tiny_too"
#endif

#ifndef TINY_WITHOUT_NOTE
CAPSTAN_NOTE("test.tiny", "0.1.0", CAPSTAN_KIND_EXPANDER)
#endif

/* Code that runs when the file is loaded; tests check whether it ran. */
__attribute__((constructor)) static void constructed(void) {
    setenv("CAPSTAN_TINY_CONSTRUCTED", "yes", 1);
}

#ifdef TINY_UNDEFINED
extern int32_t capstan_tiny_nowhere(void);
int32_t (*capstan_tiny_use)(void) = capstan_tiny_nowhere;
#endif
#ifdef TINY_THREAD_LOCALS
extern int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* library);
int (*capstan_tiny_use)(void (*)(void*), void*, void*) = __cxa_thread_atexit_impl;
#endif
#ifdef TINY_UNIQUE
__asm__(
    ".data\n.globl capstan_tiny_unique\n.type capstan_tiny_unique, %gnu_unique_object\n"
    ".size capstan_tiny_unique, 4\ncapstan_tiny_unique: .long 1\n.text\n");
#endif

#ifdef TINY_THROWS
/* Throws a C++ exception; see throw.cpp. */
void tiny_throw(void);
#endif

typedef struct tiny {
    const capstan_host* host;
    capstan_instance instance;
    capstan_expander expander;
} tiny;

static const capstan_option* option_at(capstan_array options, uint32_t i) {
    return (const capstan_option*)((const char*)options.data + (size_t)i * options.stride);
}

static capstan_status filter(void* self, const capstan_call* call,
                             const capstan_expander_request* in,
                             const capstan_expander_response* out) {
    int32_t fewest = INT32_MAX;
    (void)self;
    (void)call;
#ifdef TINY_THROWS
    tiny_throw();
#endif
    for (uint32_t i = 0; i < in->options.count; i++)
        if (option_at(in->options, i)->nodes < fewest) fewest = option_at(in->options, i)->nodes;
    for (uint32_t i = 0; i < in->options.count; i++)
        if (option_at(in->options, i)->nodes == fewest) out->keep(out, i, fewest);
    return CAPSTAN_OK;
}

static const void* interface_of(void* self, const char* id) {
    return strcmp(id, CAPSTAN_KIND_EXPANDER) == 0 ? &((tiny*)self)->expander : NULL;
}

static void destroy(void* self) { free(self); }

static capstan_status create(const capstan_host* host, const capstan_settings* settings,
                             const capstan_call* call, const capstan_instance** out) {
    tiny* made;
    (void)settings;
    (void)call;
    if (TINY_CREATE_STATUS != CAPSTAN_OK) return TINY_CREATE_STATUS;
    made = calloc(1, sizeof *made);
    if (made == NULL) return CAPSTAN_E_INTERNAL;
    made->host = host;
    made->instance.struct_size = sizeof made->instance;
    made->instance.self = made;
    made->instance.interface_of = interface_of;
    made->instance.destroy = destroy;
    made->expander.struct_size = sizeof made->expander;
    made->expander.self = made;
    made->expander.filter = filter;
    *out = &made->instance;
    return CAPSTAN_OK;
}

/* A failing self check, for tests of `capstan doctor`. */
static capstan_status self_check(void* self, capstan_op op,
                                 const capstan_self_check_request* request) {
    (void)request;
    const capstan_host* host = ((tiny*)self)->host;
    const capstan_ops* ops = host->service(host, CAPSTAN_SERVICE_OPS);
    const capstan_error error = {.struct_size = sizeof error,
                                 .code = CAPSTAN_E_PERMISSION,
                                 .message = TEXT("needs tiny:DescribeOptions"),
                                 .retry_after_ms = -1};
    ops->fail(host, op, &error);
    return CAPSTAN_OK;
}

static capstan_status create_other(const capstan_host* host, const capstan_settings* settings,
                                   const capstan_call* call, const capstan_instance** out) {
    const capstan_status status = create(host, settings, call, out);
    if (status == CAPSTAN_OK) ((tiny*)(*out)->self)->instance.self_check = self_check;
    return status;
}

static const capstan_class all_classes[] = {
    {sizeof(capstan_class),
     CAPSTAN_CLASS_PURE,
     CAPSTAN_CONCURRENCY_PARALLEL,
     0,
     TEXT("tiny"),
     TEXT(CAPSTAN_KIND_EXPANDER),
     TEXT("Fewest nodes first."),
     {NULL, 0, 0},
     NULL,
     create},
    {sizeof(capstan_class),
     0,
     CAPSTAN_CONCURRENCY_SERIAL,
     0,
     TEXT(TINY_OTHER_CLASS),
     TEXT(CAPSTAN_KIND_EXPANDER),
     TEXT("The same, one call at a time, and its self check misses a permission."),
     {NULL, 0, 0},
     NULL,
     create_other},
};
static const capstan_class_list class_list = {
    sizeof(capstan_class_list), 0, {all_classes, 2, sizeof(capstan_class)}};

static const capstan_class_list* classes(void) { return &class_list; }

static capstan_status init(capstan_str file) {
    char path[4096] = {0};
    if (file.len < sizeof path) memcpy(path, file.ptr, file.len);
    setenv("CAPSTAN_TINY_FILE", path, 1);
    return TINY_INIT_STATUS;
}

static void deinit(void) { unsetenv("CAPSTAN_TINY_FILE"); }

#ifdef TINY_WITHOUT_ENTRY
#define capstan_entry_1 capstan_entry_2
#endif
CAPSTAN_EXPORT const capstan_entry capstan_entry_1 = {
    TINY_ENTRY_MAGIC,
    sizeof(capstan_entry),
    CAPSTAN_ABI_MAJOR,
    CAPSTAN_ABI_MINOR_LATEST,
    CAPSTAN_ABI_MINOR,
    0,
    TEXT("test.tiny"),
    TEXT(TINY_ENTRY_VERSION),
    TEXT("Capstan"),
    init,
    deinit,
    classes,
};
