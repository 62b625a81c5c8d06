/* capstan/abi/service_kube.h - "capstan.kube/1": objects of the cluster, through the host's one client and
 * rate limit. Granted by `grants.kube`, verb by verb. Objects are passed as JSON text, as the API
 * server writes them. In a dry run of the host, and while another host leads, a request that would
 * change the cluster ends as CAPSTAN_E_CANCELLED and is not sent; the cluster can be read all the
 * same.
 */
#ifndef CAPSTAN_ABI_SERVICE_KUBE_H
#define CAPSTAN_ABI_SERVICE_KUBE_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_KUBE "capstan.kube/1"

/** An API resource as in request paths: returned by `resolve`, or written out for resources that
 *  never change. */
typedef struct capstan_kube_resource {
    uint32_t struct_size;
    int32_t has_namespace; /* nonzero: its objects are in namespaces */
    capstan_str group;     /* "apps"; empty: the core group */
    capstan_str version;   /* "v1" */
    capstan_str plural;    /* "deployments" */
    capstan_str kind;      /* "Deployment"; may be empty in requests */
} capstan_kube_resource;

/** The verb of a request. An unknown one is refused as CAPSTAN_E_INVALID_ARGUMENT. */
enum {
    CAPSTAN_KUBE_GET = 1,
    CAPSTAN_KUBE_LIST = 2,
    CAPSTAN_KUBE_CREATE = 3,
    CAPSTAN_KUBE_UPDATE = 4,
    CAPSTAN_KUBE_PATCH = 5,
    CAPSTAN_KUBE_DELETE = 6
};

/** The type of a patch. An unknown one is refused as CAPSTAN_E_INVALID_ARGUMENT. */
enum {
    CAPSTAN_KUBE_PATCH_JSON = 1,      /* operations, RFC 6902 */
    CAPSTAN_KUBE_PATCH_MERGE = 2,     /* RFC 7386 */
    CAPSTAN_KUBE_PATCH_STRATEGIC = 3, /* not for custom resources */
    CAPSTAN_KUBE_PATCH_APPLY = 4      /* server-side, forced, as `field_manager` */
};

/** What becomes of a deleted object's dependents. Unknown values mean the default. */
enum {
    CAPSTAN_KUBE_PROPAGATION_DEFAULT = 0, /* as the server does with that kind */
    CAPSTAN_KUBE_PROPAGATION_BACKGROUND = 1,
    CAPSTAN_KUBE_PROPAGATION_FOREGROUND = 2,
    CAPSTAN_KUBE_PROPAGATION_ORPHAN = 3
};

/** Bits of capstan_kube_request.present. */
enum { CAPSTAN_KUBE_HAS_GRACE = 1 };

typedef struct capstan_kube_request {
    uint32_t struct_size;
    int32_t verb; /* CAPSTAN_KUBE_* */
    uint64_t present;
    const capstan_kube_resource *resource;
    capstan_str ns;             /* empty: all namespaces (lists only), or the kind has no namespaces */
    capstan_str name;           /* empty for a list, and for a create without `subresource` */
    capstan_str subresource;    /* "status", "scale"; empty: the object itself */
    capstan_str body;           /* create, update, patch: JSON text, at most 3 MiB */
    int32_t patch_type;         /* CAPSTAN_KUBE_PATCH_* */
    int32_t dry_run;            /* nonzero: the server checks the request and changes nothing */
    capstan_str field_manager;  /* empty: "capstan-" and the instance's id */
    capstan_str label_selector; /* list */
    capstan_str field_selector; /* list */
    int64_t limit;              /* list: most objects in the reply; <= 0: all */
    capstan_str continue_token; /* list: metadata.continue of the page before; empty: the first */
    capstan_str
        resource_version;     /* get, list: not older than this; delete: only if the object has this one */
    capstan_str uid;          /* delete: only if the object has this uid; empty: any */
    int64_t grace_seconds;    /* delete, with CAPSTAN_KUBE_HAS_GRACE; 0: at once */
    int32_t propagation;      /* delete: CAPSTAN_KUBE_PROPAGATION_* */
    int32_t timeout_ms;       /* at most the parent's remaining time; <= 0: 30 s */
    uint64_t max_reply_bytes; /* 0: 16 MiB; a longer reply fails the request */
    capstan_op parent;        /* inherits its deadline and cancellation; 0: none */
} capstan_kube_request;

typedef struct capstan_kube_reply {
    uint32_t struct_size;
    uint32_t reserved;
    capstan_str body; /* JSON text: the object, the list, the Scale, or a Status */
} capstan_kube_reply;

/** [strand] Called exactly once. CAPSTAN_OK: the request succeeded, and `error` is NULL. Otherwise `reply` is
 *  NULL, and the `provider_code` of `error` is the reason that the server gave. Both are valid during the
 *  call.
 *   - CAPSTAN_E_PERMISSION: not granted here (the message says what to add), or refused by the server.
 *   - CAPSTAN_E_NOT_FOUND.
 *   - CAPSTAN_E_CONFLICT: the object exists already, has changed, or a page of the list has expired; see
 *     `provider_code`: "AlreadyExists", "Conflict", "Expired".
 *   - CAPSTAN_E_INVALID_ARGUMENT: not a request, or the server finds the object invalid.
 *   - CAPSTAN_E_UNSUPPORTED: this host has no cluster, or the server does not support the request.
 *   - CAPSTAN_E_UNAUTHENTICATED, CAPSTAN_E_THROTTLED.
 *   - CAPSTAN_E_UNAVAILABLE, CAPSTAN_E_DEADLINE: a write may have happened.
 *   - CAPSTAN_E_QUOTA: the reply is longer than `max_reply_bytes`; use `limit`.
 *   - CAPSTAN_E_CANCELLED: the parent is over, the instance stops, or nothing may be written. */
typedef void (*capstan_kube_done)(void *user, capstan_status status, const capstan_kube_reply *reply,
                                  const capstan_error *error) CAPSTAN_NOEXCEPT;

/** [strand] Called exactly once, with errors as above. `resource` and `error` are valid during the
 *  call. */
typedef void (*capstan_kube_resolved)(void *user, capstan_status status,
                                      const capstan_kube_resource *resource,
                                      const capstan_error *error) CAPSTAN_NOEXCEPT;

typedef struct capstan_kube_watch {
    uint32_t struct_size;
    uint32_t queue_limit; /* events that may wait for the strand; 0: 1024; at most 65536 */
    const capstan_kube_resource *resource;
    capstan_str ns; /* empty: all namespaces */
    capstan_str label_selector;
    capstan_str field_selector;
} capstan_kube_watch;

/** Types of the events of a watch. A plugin ignores unknown types. */
enum {
    CAPSTAN_KUBE_ADDED = 1,    /* the object exists, and is new to the watch or was DELETED before */
    CAPSTAN_KUBE_MODIFIED = 2, /* a new version of an object that was ADDED before */
    CAPSTAN_KUBE_DELETED = 3,  /* the object is gone; of an object that vanished unseen, only apiVersion,
                                  kind and metadata.name, .namespace, .uid are there */
    CAPSTAN_KUBE_SYNCED = 4,   /* all objects of a list have been reported, or a watch in TROUBLE
                                  works again; no object */
    CAPSTAN_KUBE_TROUBLE = 5,  /* the watch fails at present, `error` says why; the host goes on trying,
                                  and the next event of another type means that the watch works; no object */
    CAPSTAN_KUBE_ENDED = 6     /* the last event: after `unwatch`, when the instance stops, or
                                  when the watch is refused; no object */
};

typedef struct capstan_kube_event {
    uint32_t struct_size;
    int32_t type;
    capstan_str object;         /* JSON text; empty where there is none */
    const capstan_error *error; /* of TROUBLE; else NULL */
} capstan_kube_event;

/** [strand] Valid during the call. */
typedef void (*capstan_kube_on_event)(void *user, const capstan_kube_event *event) CAPSTAN_NOEXCEPT;

/** A Kubernetes event about an object, as `kubectl describe` shows it. */
typedef struct capstan_kube_note {
    uint32_t struct_size;
    int32_t warning;         /* nonzero: of type Warning */
    capstan_str api_version; /* of the object: "apps/v1" */
    capstan_str kind;
    capstan_str ns; /* empty: its kind has no namespaces */
    capstan_str name;
    capstan_str uid;
    capstan_str reason;  /* "Rescaled" */
    capstan_str message; /* cut at 1 KiB */
} capstan_kube_note;

typedef struct capstan_kube {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Copies the request. After a status other than CAPSTAN_OK `done` is not called.
     *  CAPSTAN_E_BUSY: too many requests are under way. CAPSTAN_E_CANCELLED: the instance stops.
     *  CAPSTAN_E_INVALID_ARGUMENT: a pointer that must not be NULL is, or the struct is too short.
     *  Every other error, such as a missing grant, goes to `done` with a message. The host never
     *  sends a write twice that the server may have carried out. */
    capstan_status (*send)(const capstan_host *host, const capstan_kube_request *request,
                           capstan_kube_done done, void *user) CAPSTAN_NOEXCEPT;
    /** [any] Finds the resource of an apiVersion and kind, as in an ownerReference: `api_version`
     *  is "apps/v1", or "v1" or empty for the core group. Errors as of `send`; CAPSTAN_E_NOT_FOUND:
     *  the server does not serve the kind. Needs no grant. */
    capstan_status (*resolve)(const capstan_host *host, capstan_str api_version, capstan_str kind,
                              capstan_op parent, capstan_kube_resolved done, void *user) CAPSTAN_NOEXCEPT;
    /** [any] Follows a kind until `unwatch` or the end of the instance. The events are ADDED for
     *  every existing object, then SYNCED, then each change. The host resumes the watch, lists
     *  again where it must, and leaves out what it has sent, so no version of an object comes twice
     *  and the order is the server's; versions in between may be left out. While `queue_limit`
     *  events wait, the host stops reading and later continues where it stopped, so the last
     *  version of each object always comes. Needs the grants list and watch; without them TROUBLE
     *  says so and ENDED follows. Leaves the id, which is never 0, in `*id` before any event.
     *  Errors as of `send`; CAPSTAN_E_BUSY: too many watches. */
    capstan_status (*watch)(const capstan_host *host, const capstan_kube_watch *watch,
                            capstan_kube_on_event on_event, void *user, uint64_t *id) CAPSTAN_NOEXCEPT;
    /** [any] When called on the strand, no event but ENDED comes after it has returned. CAPSTAN_E_NOT_FOUND:
     *  the watch is over, or about to be. */
    capstan_status (*unwatch)(const capstan_host *host, uint64_t id) CAPSTAN_NOEXCEPT;
    /** [any] Records a Kubernetes event about an object, at some later time. Repetitions are counted in one
     *  event or dropped; events that the API server has no time for are dropped, too. CAPSTAN_E_PERMISSION:
     *  "events:create" is not granted. CAPSTAN_E_UNSUPPORTED, CAPSTAN_E_CANCELLED, CAPSTAN_E_INVALID_ARGUMENT
     *  as above. */
    capstan_status (*record)(const capstan_host *host, const capstan_kube_note *note) CAPSTAN_NOEXCEPT;
} capstan_kube;

CAPSTAN_END_DECLS
#endif
