/* capstan/abi/service_http.h - "capstan.http/1": requests through the host's proxy, TLS and pools. Granted
 * per host name by `grants.http`. Recorded and replayed in tests. What may change something is never sent twice. */
#ifndef CAPSTAN_ABI_SERVICE_HTTP_H
#define CAPSTAN_ABI_SERVICE_HTTP_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_HTTP "capstan.http/1"

typedef struct capstan_http_request {
    uint32_t struct_size;
    int32_t timeout_ms; /* at most the parent's remaining time; <= 0: 30 s */
    capstan_str method;
    capstan_str url;       /* http or https, absolute */
    capstan_array headers; /* capstan_kv, in order */
    capstan_str body;
    uint64_t max_reply_bytes; /* 0: 16 MiB; a longer body fails the request */
    capstan_op parent;        /* inherits its deadline and cancellation; 0: none */
} capstan_http_request;

typedef struct capstan_http_reply {
    uint32_t struct_size;
    int32_t status;
    capstan_array headers; /* capstan_kv, in order, names in lower case */
    capstan_str body;
} capstan_http_reply;

/** [strand] Exactly once. CAPSTAN_OK: a reply arrived, whatever its HTTP status, and `error` is NULL.
 *  Otherwise `reply` is NULL: CAPSTAN_E_UNAVAILABLE (no connection, or it broke), CAPSTAN_E_DEADLINE (no
 *  whole reply in time), CAPSTAN_E_QUOTA (a longer body than asked for), CAPSTAN_E_CANCELLED (the parent is
 *  over or the instance stops). Both are valid during the call. */
typedef void (*capstan_http_done)(void *user, capstan_status status, const capstan_http_reply *reply,
                                  const capstan_error *error) CAPSTAN_NOEXCEPT;

typedef struct capstan_http {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Copies the request. CAPSTAN_E_PERMISSION: the host name is not granted.
     *  CAPSTAN_E_INVALID_ARGUMENT: not a request. CAPSTAN_E_BUSY: too many under way. CAPSTAN_E_CANCELLED:
     *  stopping, or `parent` is over. Then `done` is not called. */
    capstan_status (*send)(const capstan_host *host, const capstan_http_request *request,
                           capstan_http_done done, void *user) CAPSTAN_NOEXCEPT;
} capstan_http;

CAPSTAN_END_DECLS
#endif
