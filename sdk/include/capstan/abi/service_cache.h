/* capstan/abi/service_cache.h - "capstan.cache/1": what costs much to ask again, and may be lost at any time: a list of
 * machine types, a catalogue of prices. Granted by `grants.cache = true`. Blobs belong to the instance and stay on this
 * machine: other hosts do not see them (small values that go on from leader to leader are capstan.state/1's). One has up to
 * 64 MiB, those of an instance 256 MiB. A host without a folder for them, as in a dry run, `plan`, `simulate` and
 * `verify`, has no such service, so an instance goes on without. */
#ifndef CAPSTAN_ABI_SERVICE_CACHE_H
#define CAPSTAN_ABI_SERVICE_CACHE_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_CACHE "capstan.cache/1"

/** Each function takes as long as the disk does: [blocking], within `capstan_exec.blocking` alone. A name has 1 to 100
 *  letters, digits, '_', '-' and '.', and does not begin with '.'; another one is CAPSTAN_E_INVALID_ARGUMENT. */
typedef struct capstan_cache {
    uint32_t struct_size;
    uint32_t reserved;
    /** Calls `fn` before returning, with the value as it was put, whole, and when that was. CAPSTAN_E_NOT_FOUND:
     *  there is none of that name. CAPSTAN_E_UNAVAILABLE: cannot be read. Then `fn` is not called. */
    capstan_status (*get)(const capstan_host *host, capstan_str name,
                          void (*fn)(void *user, capstan_str value, int64_t put_unix_ns) CAPSTAN_NOEXCEPT,
                          void *user) CAPSTAN_NOEXCEPT;
    /** Takes the place of what has that name. CAPSTAN_E_QUOTA: no room. CAPSTAN_E_UNAVAILABLE: cannot be written.
     *  Then everything is as it was. */
    capstan_status (*put)(const capstan_host *host, capstan_str name, capstan_str value) CAPSTAN_NOEXCEPT;
    /** CAPSTAN_E_NOT_FOUND: there is none of that name. CAPSTAN_E_UNAVAILABLE: cannot be removed. */
    capstan_status (*remove)(const capstan_host *host, capstan_str name) CAPSTAN_NOEXCEPT;
} capstan_cache;

CAPSTAN_END_DECLS
#endif
