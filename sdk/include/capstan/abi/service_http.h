/* capstan/abi/service_http.h - "capstan.http/1": requests through the host's proxy, TLS and connections.
 * Granted per host name by `grants.http`. The instance's authorities and client certificate are the
 * configuration's: [plugin.ID.tls]. Recorded and replayed in tests.
 * No redirect is followed and nothing is tried again, but for a GET or HEAD whose kept connection ended without
 * an answer: that goes out over another one. What may change something is never sent twice. */
#ifndef CAPSTAN_ABI_SERVICE_HTTP_H
#define CAPSTAN_ABI_SERVICE_HTTP_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_HTTP "capstan.http/1"

/** Limits, in bytes where no other unit is named. A request beyond one is refused. */
enum {
    CAPSTAN_HTTP_MAX_HEADERS = 128,           /* of a request */
    CAPSTAN_HTTP_MAX_HEADER_VALUE = 16 << 10, /* each */
    CAPSTAN_HTTP_MAX_URL = 16 << 10,
    CAPSTAN_HTTP_MAX_BODY = 16 << 20,          /* of a request */
    CAPSTAN_HTTP_DEFAULT_REPLY = 16 << 20,     /* body of a reply, where max_reply_bytes is 0 */
    CAPSTAN_HTTP_MAX_REPLY = 256 << 20,        /* a larger max_reply_bytes means this */
    CAPSTAN_HTTP_MAX_REPLY_HEAD = 256 << 10,   /* headers and trailers; 100 KiB a line */
    CAPSTAN_HTTP_MAX_UNDER_WAY = 64,           /* requests of an instance; further ones wait, in order */
    CAPSTAN_HTTP_MAX_WAITING = 1024,           /* requests of an instance; further ones are refused */
    CAPSTAN_HTTP_MAX_WAITING_BODIES = 64 << 20 /* of those that wait, together; likewise */
};

/** Bits of capstan_http_request.flags. An unknown one is refused as CAPSTAN_E_INVALID_ARGUMENT. */
enum {
    /** No proxy sees it: for metadata services, which answer for the machine that asks. */
    CAPSTAN_HTTP_DIRECT = 1,
    /** https alone: HTTP/2, chosen in the TLS handshake, or CAPSTAN_E_UNAVAILABLE and nothing is sent. */
    CAPSTAN_HTTP_2 = 2,
    /** http alone: HTTP/2 from the first byte ("h2c"). Each request has a connection of its own. */
    CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE = 4,
    /** "/a/../b" stays as it is, where a signature covers it. */
    CAPSTAN_HTTP_PATH_AS_IS = 8
};

typedef struct capstan_http_request {
    uint32_t struct_size;
    int32_t timeout_ms; /* from `send` on; at most the parent's remaining time; <= 0: 30 s */
    capstan_str method;
    capstan_str url;       /* http or https, absolute */
    capstan_array headers; /* capstan_kv, in order; without "user-agent" the host names the plugin in one */
    capstan_str body;
    uint64_t max_reply_bytes; /* 0: CAPSTAN_HTTP_DEFAULT_REPLY; a longer body fails the request */
    uint64_t flags;           /* CAPSTAN_HTTP_DIRECT and the others */
    capstan_op parent;        /* inherits its deadline and cancellation; 0: none */
} capstan_http_request;

typedef struct capstan_http_reply {
    uint32_t struct_size;
    int32_t status;
    capstan_array headers; /* capstan_kv, in order, names in lower case */
    capstan_str body;
    capstan_array trailers; /* as headers: what came after the body */
} capstan_http_reply;

/** [strand] Exactly once. CAPSTAN_OK: a reply arrived, whatever its HTTP status, and `error` is NULL.
 *  Otherwise `reply` is NULL, and the message of `error` says of which request, without its query, what is
 *  wrong and what may help. Refused, and nothing was sent: CAPSTAN_E_PERMISSION (the host name is not
 *  granted), CAPSTAN_E_INVALID_ARGUMENT (not a request, beyond a limit, or with flags that are unknown or do
 *  not fit its scheme), CAPSTAN_E_BUSY (no more may wait), CAPSTAN_E_UNSUPPORTED (this host sends
 *  nothing, as where time is simulated). Failed: CAPSTAN_E_UNAVAILABLE (no connection, or it
 *  broke; `provider_code` "connection_lost": the request may have been carried out), CAPSTAN_E_DEADLINE (no
 *  whole reply in time, and it may have been carried out), CAPSTAN_E_QUOTA (a longer reply than asked for),
 *  CAPSTAN_E_INVALID_CONFIG (the proxy or [plugin.ID.tls] cannot be used), CAPSTAN_E_CANCELLED (the parent
 *  is over or the instance stops). Both are valid during the call. */
typedef void (*capstan_http_done)(void *user, capstan_status status, const capstan_http_reply *reply,
                                  const capstan_error *error) CAPSTAN_NOEXCEPT;

typedef struct capstan_http {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Copies the request. CAPSTAN_OK: `done` will be called, with a refusal, too. Otherwise `done` is
     *  not called: CAPSTAN_E_INVALID_ARGUMENT: `request` or `done` is NULL, or the struct ends before
     *  `parent`. CAPSTAN_E_CANCELLED: the instance stops. CAPSTAN_E_BUSY: the strand has 1024 refusals to tell. */
    capstan_status (*send)(const capstan_host *host, const capstan_http_request *request,
                           capstan_http_done done, void *user) CAPSTAN_NOEXCEPT;
} capstan_http;

CAPSTAN_END_DECLS
#endif
