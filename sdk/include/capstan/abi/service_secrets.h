/* capstan/abi/service_secrets.h - "capstan.secrets/1": values that are in no configuration file and in no log.
 * Granted per name by `grants.secrets`. */
#ifndef CAPSTAN_ABI_SERVICE_SECRETS_H
#define CAPSTAN_ABI_SERVICE_SECRETS_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_SECRETS "capstan.secrets/1"

typedef struct capstan_secrets {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Calls `fn` with the current value before returning; the buffer is wiped afterwards. A plugin
     *  asks each time it needs the value, so that it sees a rotated secret at once. After
     *  CAPSTAN_E_PERMISSION (not granted), CAPSTAN_E_NOT_FOUND (granted, but absent) and
     *  CAPSTAN_E_UNAVAILABLE (cannot be read), `on_error` is called in place of `fn`, before returning, with
     *  that code and a message that names the secret and what to do; the error is valid during the call.
     *  `on_error` may be NULL. CAPSTAN_E_INVALID_ARGUMENT: `fn` is NULL; neither is called. */
    capstan_status (*with)(const capstan_host *host, capstan_str name,
                           void (*fn)(void *user, capstan_str value) CAPSTAN_NOEXCEPT,
                           void (*on_error)(void *user, const capstan_error *error) CAPSTAN_NOEXCEPT,
                           void *user) CAPSTAN_NOEXCEPT;
} capstan_secrets;

CAPSTAN_END_DECLS
#endif
