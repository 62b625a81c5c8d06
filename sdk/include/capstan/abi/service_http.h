/* capstan/abi/service_http.h - "capstan.http/1": requests through the host's proxy, TLS and connections.
 * Granted per host name by `grants.http`. [plugin.ID.tls] of the configuration sets the certificate
 * authorities and the client certificate of the instance. Recorded and replayed in tests. No
 * redirect is followed, and no request is sent again, except a GET or HEAD whose kept connection
 * ended without an answer: it is sent again over another connection. A request that may change
 * something is never sent twice. */
#ifndef CAPSTAN_ABI_SERVICE_HTTP_H
#define CAPSTAN_ABI_SERVICE_HTTP_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_HTTP "capstan.http/1"

/** Limits, in bytes where no other unit is named. A request beyond a limit is refused, and a reply
 *  beyond one fails the request, unless the comment says otherwise. */
enum {
    CAPSTAN_HTTP_MAX_HEADERS = 128,           /* of a request */
    CAPSTAN_HTTP_MAX_HEADER_VALUE = 16 << 10, /* each */
    CAPSTAN_HTTP_MAX_URL = 16 << 10,
    CAPSTAN_HTTP_MAX_BODY = 16 << 20,          /* of a request */
    CAPSTAN_HTTP_DEFAULT_REPLY = 16 << 20,     /* body of a reply when max_reply_bytes is 0 */
    CAPSTAN_HTTP_MAX_REPLY = 256 << 20,        /* a larger max_reply_bytes means this */
    CAPSTAN_HTTP_MAX_REPLY_HEAD = 256 << 10,   /* headers and trailers; 100 KiB a line */
    CAPSTAN_HTTP_MAX_UNDER_WAY = 64,           /* requests of an instance; further ones wait, in order */
    CAPSTAN_HTTP_MAX_WAITING = 1024,           /* requests of an instance; further ones are refused */
    CAPSTAN_HTTP_MAX_WAITING_BODIES = 64 << 20 /* of waiting requests, together; further ones are refused */
};

/** Bits of capstan_http_request.flags. An unknown one is refused as CAPSTAN_E_INVALID_ARGUMENT. */
enum {
    /** Sends the request without a proxy: for metadata services, which answer for the machine that asks. */
    CAPSTAN_HTTP_DIRECT = 1,
    /** For https only: HTTP/2, agreed in the TLS handshake; else CAPSTAN_E_UNAVAILABLE, and nothing is sent.
     *  */
    CAPSTAN_HTTP_2 = 2,
    /** For http only: HTTP/2 from the first byte ("h2c"). Each request has a connection of its own. */
    CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE = 4,
    /** The path is sent as it is, "/a/../b" for example, for signatures that cover it. */
    CAPSTAN_HTTP_PATH_AS_IS = 8
};

typedef struct capstan_http_request {
    uint32_t struct_size;
    int32_t timeout_ms; /* from `send` on; at most the parent's remaining time; <= 0: 30 s */
    capstan_str method;
    capstan_str url; /* http or https, absolute */
    capstan_array
        headers; /* capstan_kv, in order; without "user-agent" the host adds one that names the plugin */
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
    capstan_array trailers; /* as headers: those that came after the body */
} capstan_http_reply;

/** [strand] Called exactly once. CAPSTAN_OK: a reply arrived, whatever its HTTP status, and `error` is NULL.
 *  Otherwise `reply` is NULL, and the message of `error` names the request, without its query, and says what
 *  is wrong and what may help. Both are valid during the call.
 *
 *  The request was refused, and nothing was sent:
 *   - CAPSTAN_E_PERMISSION: the host name is not granted.
 *   - CAPSTAN_E_INVALID_ARGUMENT: not a request, beyond a limit, or with flags that are unknown or do not fit its
 *     scheme.
 *   - CAPSTAN_E_BUSY: no more requests may wait.
 *   - CAPSTAN_E_UNSUPPORTED: this host sends nothing, for example because its time is simulated.
 *
 *  The request failed:
 *   - CAPSTAN_E_UNAVAILABLE: no connection, or the connection broke. With the `provider_code` "connection_lost"
 *     the request may have been carried out. With "untrusted_certificate" nothing was sent: the certificate
 *     of the server is not trusted, and another attempt would not help.
 *   - CAPSTAN_E_DEADLINE: no whole reply in time. The request may have been carried out.
 *   - CAPSTAN_E_QUOTA: the reply is longer than `max_reply_bytes`, or its head than
 *     CAPSTAN_HTTP_MAX_REPLY_HEAD.
 *   - CAPSTAN_E_INVALID_CONFIG: the proxy or [plugin.ID.tls] cannot be used.
 *   - CAPSTAN_E_CANCELLED: the parent is over, or the instance stops. */
typedef void (*capstan_http_done)(void *user, capstan_status status, const capstan_http_reply *reply,
                                  const capstan_error *error) CAPSTAN_NOEXCEPT;

typedef struct capstan_http {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Copies the request. CAPSTAN_OK: `done` will be called, also with a refusal. After any other
     *  status `done` is not called. CAPSTAN_E_INVALID_ARGUMENT: `request` or `done` is NULL, or the struct
     *  ends before `parent`. CAPSTAN_E_CANCELLED: the instance stops. CAPSTAN_E_BUSY: 1024 refusals wait for
     *  the strand. */
    capstan_status (*send)(const capstan_host *host, const capstan_http_request *request,
                           capstan_http_done done, void *user) CAPSTAN_NOEXCEPT;
} capstan_http;

CAPSTAN_END_DECLS
#endif
