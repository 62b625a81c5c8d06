/* capstan/abi/settings.h - the settings of an instance: the schema, and the validated values. */
#ifndef CAPSTAN_ABI_SETTINGS_H
#define CAPSTAN_ABI_SETTINGS_H

#include "base.h"

CAPSTAN_BEGIN_DECLS

enum {
    CAPSTAN_TYPE_STRING = 1,
    CAPSTAN_TYPE_INTEGER = 2,
    CAPSTAN_TYPE_FLOAT = 3, /* an integer in the file is accepted */
    CAPSTAN_TYPE_BOOLEAN = 4,
    CAPSTAN_TYPE_DURATION = 5, /* "90s", "1h30m"; read as nanoseconds */
    CAPSTAN_TYPE_QUANTITY = 6, /* a Kubernetes quantity; read as whole units, rounded up, or as text */
    CAPSTAN_TYPE_URL = 7,
    CAPSTAN_TYPE_REGEX = 8, /* RE2 syntax, unanchored; the host compiles it to check it */
    CAPSTAN_TYPE_ENUM = 9,
    CAPSTAN_TYPE_SECRET = 10,   /* { secret = "name" }; read as the name, for capstan.secrets/1 */
    CAPSTAN_TYPE_INSTANCE = 11, /* the id of another instance in the same configuration */
    CAPSTAN_TYPE_TABLE = 12
};

enum {
    CAPSTAN_FIELD_REQUIRED = 1u,
    CAPSTAN_FIELD_LIST = 2u, /* an array of `type` */
    CAPSTAN_FIELD_MAP = 4u,  /* a table with free keys and values of `type`; with LIST, arrays of `type` */
    CAPSTAN_FIELD_LIVE = 8u, /* may change without a restart, through `reconfigure` */
    CAPSTAN_FIELD_DEPRECATED = 16u,
    CAPSTAN_FIELD_MIN = 32u, /* `min` is a bound; without the flag there is none, and `min` is 0 */
    CAPSTAN_FIELD_MAX = 64u  /* the same for `max` */
};

/** One setting. Descriptors are constant data: valid from load to unload. */
typedef struct capstan_field {
    uint32_t struct_size;
    uint32_t flags; /* CAPSTAN_FIELD_* */
    int32_t type;   /* CAPSTAN_TYPE_* */
    int32_t reserved;
    capstan_str key; /* one TOML key; it may contain dots and slashes */
    capstan_str doc; /* one or two sentences, with the unit */
    /* TOML text ("0.05", "\"5m\"", "[]"); empty: none. A TABLE that has no default and is not LIST,
     * MAP or REQUIRED defaults to "{}" if no member is REQUIRED and some member has a default or is
     * itself such a TABLE. */
    capstan_str default_value;
    capstan_array allowed; /* capstan_str: the values of an ENUM */
    /* Inclusive bounds of INTEGER and FLOAT, of the nanoseconds of a DURATION, of the whole units of a
     * QUANTITY. */
    double min, max;
    capstan_array fields;      /* capstan_field: the members of a TABLE */
    capstan_str instance_kind; /* INSTANCE: the kind it must be of; empty: any */
    capstan_str replaced_by;   /* DEPRECATED: the key to use instead */
} capstan_field;

/** A place in the settings: a table, an array or a value. CAPSTAN_CURSOR_NONE (0) is no place. */
typedef uint32_t capstan_cursor;
#define CAPSTAN_CURSOR_NONE 0u
#define CAPSTAN_CURSOR_ROOT 1u

/** Settings that passed the schema, defaults filled in. Valid during the call they were handed to
 *  (`check`, `create`, `reconfigure`), on its thread. Getters answer CAPSTAN_OK,
 *  CAPSTAN_E_NOT_FOUND for CAPSTAN_CURSOR_NONE, CAPSTAN_E_INVALID_ARGUMENT for another type, and
 *  leave `out` alone unless CAPSTAN_OK. Text lives as long as the settings do. */
typedef struct capstan_settings {
    uint32_t struct_size;
    uint32_t reserved;
    void *ctx;
    /** The member of a table, or CAPSTAN_CURSOR_NONE. Unset members with a default have a place. */
    capstan_cursor (*member)(const struct capstan_settings *settings, capstan_cursor table,
                             capstan_str key) CAPSTAN_NOEXCEPT;
    /** How many members a table or items an array has; 0 for anything else. */
    uint32_t (*size)(const struct capstan_settings *settings, capstan_cursor at) CAPSTAN_NOEXCEPT;
    /** The index-th item in the order of the file, members that are not in the file last; `key`
     *  (may be NULL) receives a member's key. */
    capstan_cursor (*item)(const struct capstan_settings *settings, capstan_cursor at, uint32_t index,
                           capstan_str *key) CAPSTAN_NOEXCEPT;
    /** STRING, URL, REGEX, ENUM, SECRET, INSTANCE, and the text of DURATION and QUANTITY. */
    capstan_status (*get_text)(const struct capstan_settings *settings, capstan_cursor at,
                               capstan_str *out) CAPSTAN_NOEXCEPT;
    /** INTEGER, nanoseconds of a DURATION, whole units of a QUANTITY. */
    capstan_status (*get_integer)(const struct capstan_settings *settings, capstan_cursor at,
                                  int64_t *out) CAPSTAN_NOEXCEPT;
    /** FLOAT and INTEGER. */
    capstan_status (*get_float)(const struct capstan_settings *settings, capstan_cursor at,
                                double *out) CAPSTAN_NOEXCEPT;
    capstan_status (*get_boolean)(const struct capstan_settings *settings, capstan_cursor at,
                                  int32_t *out) CAPSTAN_NOEXCEPT;
    /** For `check`: refuses the value at `at` (CAPSTAN_CURSOR_NONE: the whole table); copied. The
     *  host prints file:line:column, the line and `why`. May be called several times. One rejection
     *  refuses the settings, whatever status `check` returns. Returns CAPSTAN_E_INVALID_CONFIG, so
     *  that a function can `return settings->reject(...);`. In `create` and `reconfigure` nothing
     *  is printed: use `call->fail` there. */
    capstan_status (*reject)(const struct capstan_settings *settings, capstan_cursor at,
                             capstan_str why) CAPSTAN_NOEXCEPT;
} capstan_settings;

CAPSTAN_END_DECLS
#endif
