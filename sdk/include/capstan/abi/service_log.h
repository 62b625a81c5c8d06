/* capstan/abi/service_log.h - "capstan.log/1": lines in the host's log. Always granted.
 * A plugin writes nothing to standard output or error itself. */
#ifndef CAPSTAN_ABI_SERVICE_LOG_H
#define CAPSTAN_ABI_SERVICE_LOG_H

#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_LOG "capstan.log/1"

enum {
    CAPSTAN_LOG_TRACE = 0,
    CAPSTAN_LOG_DEBUG = 1,
    CAPSTAN_LOG_INFO = 2,
    CAPSTAN_LOG_WARN = 3,
    CAPSTAN_LOG_ERROR = 4
};

typedef struct capstan_log {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Nonzero if a line of that level would be kept; ask before composing an expensive one. */
    int32_t (*enabled)(const capstan_host *host, int32_t level) CAPSTAN_NOEXCEPT;
    /** [any] Copied; the host adds the instance's id. Never a secret. Cut at 8 KiB. */
    void (*write)(const capstan_host *host, int32_t level, capstan_str message,
                  capstan_array fields /* capstan_kv */) CAPSTAN_NOEXCEPT;
} capstan_log;

CAPSTAN_END_DECLS
#endif
