/* capstan/abi/service_cache.h - "capstan.cache/1": blobs that are costly to get again and may be lost at any
 * time, such as a list of machine types or a catalogue of prices. Granted by `grants.cache = true`. Blobs
 * belong to the instance and stay on this machine: hosts on other machines do not see them. (Small
 * values that the next leader needs belong in capstan.state/1.) A blob has up to 64 MiB, all blobs
 * of an instance together have up to 256 MiB. A host without a cache folder, as in a dry run, in
 * `plan` and in `simulate`, has no such service, so an instance must work without it. */
#ifndef CAPSTAN_ABI_SERVICE_CACHE_H
#define CAPSTAN_ABI_SERVICE_CACHE_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_CACHE "capstan.cache/1"

/** Each function takes as long as the disk does, so it is [blocking]: called within `capstan_exec.blocking`
 *  only. A name has 1 to 100 letters, digits, '_', '-' and '.', and does not begin with '.'; any other name
 *  is CAPSTAN_E_INVALID_ARGUMENT. */
typedef struct capstan_cache {
    uint32_t struct_size;
    uint32_t reserved;
    /** Calls `fn` before returning, with the whole value as it was put, and the time of the put. After an
     *  error `fn` is not called. CAPSTAN_E_NOT_FOUND: there is no blob of that name. CAPSTAN_E_UNAVAILABLE:
     *  it cannot be read. */
    capstan_status (*get)(const capstan_host *host, capstan_str name,
                          void (*fn)(void *user, capstan_str value, int64_t put_unix_ns) CAPSTAN_NOEXCEPT,
                          void *user) CAPSTAN_NOEXCEPT;
    /** Replaces the blob of that name, if there is one. After an error nothing has changed. CAPSTAN_E_QUOTA:
     *  there is no room. CAPSTAN_E_UNAVAILABLE: it cannot be written. */
    capstan_status (*put)(const capstan_host *host, capstan_str name, capstan_str value) CAPSTAN_NOEXCEPT;
    /** CAPSTAN_E_NOT_FOUND: there is no blob of that name. CAPSTAN_E_UNAVAILABLE: it cannot be removed. */
    capstan_status (*remove)(const capstan_host *host, capstan_str name) CAPSTAN_NOEXCEPT;
} capstan_cache;

CAPSTAN_END_DECLS
#endif
