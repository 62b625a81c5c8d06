/* capstan/abi/plugin.h - what a plugin file offers: its note, its entry, its classes, their instances.
 *
 * Life of a file: the host reads the note without running anything, copies the file, opens the copy, and
 * compares entry and note. Then it calls init -> classes -> { check -> create -> start -> hooks -> stop ->
 * destroy } for each instance -> deinit. The host never calls from a static destructor.
 */
#ifndef CAPSTAN_ABI_PLUGIN_H
#define CAPSTAN_ABI_PLUGIN_H

#include "call.h"
#include "host.h"
#include "settings.h"

CAPSTAN_BEGIN_DECLS

/** Why an instance starts. A reason that the plugin does not know is CAPSTAN_START_COLD. */
enum {
    CAPSTAN_START_COLD = 0,    /* the host starts, or a reload adds the instance */
    CAPSTAN_START_RETRY = 1,   /* an earlier instance of this table could not be started */
    CAPSTAN_START_EXCHANGE = 2 /* a reload replaces a running instance of this table */
};
typedef struct capstan_start_request {
    uint32_t struct_size;
    uint32_t flags; /* CAPSTAN_CALL_* */
    int32_t reason; /* CAPSTAN_START_* */
    int32_t reserved;
} capstan_start_request;

/** Why an instance stops. A reason that the plugin does not know is CAPSTAN_STOP_SHUTDOWN. */
enum {
    CAPSTAN_STOP_SHUTDOWN = 0, /* the host ends */
    CAPSTAN_STOP_REPLACED = 1, /* another instance of this table takes over */
    CAPSTAN_STOP_REMOVED = 2,  /* the configuration does not need this table any more */
    CAPSTAN_STOP_FAILED = 3    /* the reload that started it failed */
};
typedef struct capstan_stop_request {
    uint32_t struct_size;
    uint32_t flags; /* CAPSTAN_CALL_* */
    int32_t reason; /* CAPSTAN_STOP_* */
    int32_t reserved;
} capstan_stop_request;

typedef struct capstan_self_check_request {
    uint32_t struct_size;
    uint32_t flags; /* CAPSTAN_CALL_* */
} capstan_self_check_request;

/** One instance, made from one table of the configuration. Owned by the plugin; valid until `destroy`
 *  returns.
 *  Functions marked (optional) may be NULL. Requests of asynchronous functions stay valid until the operation
 *  is closed. */
typedef struct capstan_instance {
    uint32_t struct_size;
    uint32_t reserved;
    void *self;
    /** [any] The table of an interface by id ("capstan.expander/1"), or NULL. Answers never change, and
     *  tables live as long as the instance. The kind of the instance's class must have a table. */
    const void *(*interface_of)(void *self, const char *interface_id) CAPSTAN_NOEXCEPT;
    /** [strand] (optional) Gets ready: credentials, caches. Asynchronous, ends with
     *  CAPSTAN_RESULT_NONE. No hook is called before it has succeeded. Called once in an instance's
     *  life. After an error the host destroys the instance without calling `stop`. If error.h says
     *  "later" for the error, the host starts a new instance after a while. Other instances run
     *  meanwhile. */
    capstan_status (*start)(void *self, capstan_op op, const capstan_start_request *request) CAPSTAN_NOEXCEPT;
    /** [strand] (optional) Asynchronous, ends with CAPSTAN_RESULT_NONE. A host calls it only after
     *  `start` has succeeded, the conformance suite also earlier. From this call on, services
     *  refuse new work with CAPSTAN_E_CANCELLED. The host calls back every open timer, request and
     *  posted function with CAPSTAN_E_CANCELLED, and closes every other open operation. When `stop`
     *  has ended, no thread, timer or operation of the instance may be left. */
    capstan_status (*stop)(void *self, capstan_op op, const capstan_stop_request *request) CAPSTAN_NOEXCEPT;
    /** [strand] The last call. Frees the instance. Comes after `stop` has ended or, if `start` was
     *  not called or has not succeeded, without `stop`. */
    void (*destroy)(void *self) CAPSTAN_NOEXCEPT;
    /** [strand] (optional) Takes new settings in which only LIVE fields differ. Never overlaps a hook.
     *  On failure the old settings stay in force. */
    capstan_status (*reconfigure)(void *self, const capstan_settings *settings,
                                  const capstan_call *call) CAPSTAN_NOEXCEPT;
    /** [strand] (optional) Read-only check of credentials and permissions, for `capstan doctor`.
     *  Asynchronous, ends with CAPSTAN_RESULT_NONE or an error that says what is missing. */
    capstan_status (*self_check)(void *self, capstan_op op,
                                 const capstan_self_check_request *request) CAPSTAN_NOEXCEPT;
} capstan_instance;

/** How the host may call the decision hooks of one instance. */
enum {
    CAPSTAN_CONCURRENCY_SERIAL = 0,  /* one at a time; also what an unknown value means */
    CAPSTAN_CONCURRENCY_PARALLEL = 1 /* any number at once */
};

enum {
    CAPSTAN_CLASS_PURE = 1u,        /* answers depend only on arguments, settings, seed and time */
    CAPSTAN_CLASS_NEEDS_LEADER = 2u /* must act only while this host leads */
};

/** A class of instances that this file can make, all of one kind. A file may have several classes
 *  of a kind. Constant data: valid from load to unload. */
typedef struct capstan_class {
    uint32_t struct_size;
    uint32_t flags;      /* CAPSTAN_CLASS_* */
    int32_t concurrency; /* CAPSTAN_CONCURRENCY_* */
    int32_t reserved;
    capstan_str class_id; /* "least_waste": lower-case letters, digits, '_'; unique in the file */
    capstan_str kind;     /* "capstan.expander/1" */
    capstan_str doc;      /* one sentence */
    capstan_array fields; /* capstan_field */
    /** [load] (optional) Checks validated settings for mistakes that a schema cannot express, and
     *  reports them through `settings->reject`. Creates nothing, reads no file, and runs before the
     *  instance is created. */
    capstan_status (*check)(const capstan_settings *settings, const capstan_call *call) CAPSTAN_NOEXCEPT;
    /** [load] Makes an instance and leaves it in `*out`, which is untouched on failure. `settings`
     *  are valid until the call returns, `host` as long as the instance. Does no I/O; `start` does.
     *  `capstan config check` creates each instance, too, and destroys it without `start`. */
    capstan_status (*create)(const capstan_host *host, const capstan_settings *settings,
                             const capstan_call *call, const capstan_instance **out) CAPSTAN_NOEXCEPT;
} capstan_class;

typedef struct capstan_class_list {
    uint32_t struct_size;
    uint32_t reserved;
    capstan_array classes; /* capstan_class */
} capstan_class_list;

#define CAPSTAN_MAGIC 0x31504143u /* "CAP1" in the file */

/** The one exported symbol of a plugin file, named CAPSTAN_ENTRY_SYMBOL. The major version is in the
 *  symbol's name, so one file can serve two majors. */
typedef struct capstan_entry {
    uint32_t magic; /* CAPSTAN_MAGIC */
    uint32_t struct_size;
    uint16_t abi_major;
    uint16_t abi_minor_built;    /* information only */
    uint16_t abi_minor_required; /* a host with a smaller minor refuses the file */
    uint16_t reserved;
    capstan_str plugin_id; /* "acme.score": reverse-domain or vendor.name */
    capstan_str version;   /* the plugin's own, semantic versioning */
    capstan_str vendor;
    /** [load] (optional) Called once per load, with the path of the file. The plugin counts calls, so that a
     *  second one is harmless. Reads no file and starts nothing. A status other than CAPSTAN_OK refuses the
     *  file, and `deinit` is not called. */
    capstan_status (*init)(capstan_str file) CAPSTAN_NOEXCEPT;
    /** [load] (optional) Undoes one `init`. */
    void (*deinit)(void) CAPSTAN_NOEXCEPT;
    /** [load] At least one class, and the same answer each time. NULL: the classes cannot be described, and
     *  the file is refused. */
    const capstan_class_list *(*classes)(void) CAPSTAN_NOEXCEPT;
} capstan_entry;
#define CAPSTAN_ENTRY_SYMBOL "capstan_entry_1"

/** The note's payload repeats id and versions of the entry, so that versions are compared before
 *  any code of the file runs. Frozen with the major version. Texts are NUL-padded and
 *  NUL-terminated. */
typedef struct capstan_note {
    uint32_t namesz, descsz, type; /* 4, sizeof - 16, CAPSTAN_NOTE_TYPE */
    char name[4];                  /* "CAP" */
    uint32_t magic;
    uint16_t abi_major, abi_minor_built, abi_minor_required, flags;
    char sdk[16];
    char plugin_id[64];
    char version[32];
    char kinds[240]; /* kind ids separated by ';' */
} capstan_note;
#define CAPSTAN_NOTE_TYPE 1u
#define CAPSTAN_NOTE_SECTION ".note.capstan"

/* In C++, string literals that do not fit do not compile; a C compiler may only warn. */
#define CAPSTAN_NOTE(plugin_id_, version_, kinds_)                          \
    __attribute__((section(CAPSTAN_NOTE_SECTION), used,                     \
                   aligned(4))) static const capstan_note capstan_note_ = { \
        4,                                                                  \
        (uint32_t)sizeof(capstan_note) - 16u,                               \
        CAPSTAN_NOTE_TYPE,                                                  \
        {'C', 'A', 'P', 0},                                                 \
        CAPSTAN_MAGIC,                                                      \
        CAPSTAN_ABI_MAJOR,                                                  \
        CAPSTAN_ABI_MINOR_LATEST,                                           \
        CAPSTAN_ABI_MINOR,                                                  \
        0,                                                                  \
        CAPSTAN_SDK_VERSION,                                                \
        plugin_id_,                                                         \
        version_,                                                           \
        kinds_};

CAPSTAN_END_DECLS
#endif
