/* capstan/abi/error.h - what went wrong, and what the caller does about it. */
#ifndef CAPSTAN_ABI_ERROR_H
#define CAPSTAN_ABI_ERROR_H

#include "base.h"

CAPSTAN_BEGIN_DECLS

/** A code exists because somebody reacts to it. An unknown value is treated as CAPSTAN_E_INTERNAL. */
enum {
    CAPSTAN_OK = 0,
    CAPSTAN_E_UNSUPPORTED = 1,      /* the documented default is used; not a failure */
    CAPSTAN_E_INVALID_ARGUMENT = 2, /* the caller's bug: reported, not tried again */
    CAPSTAN_E_INVALID_CONFIG = 3,   /* refuse to start, or keep the old configuration */
    CAPSTAN_E_NOT_FOUND = 4,        /* drop the object from the snapshot */
    CAPSTAN_E_CONFLICT = 5,         /* somebody else changed it: read again, then decide again */
    CAPSTAN_E_UNAUTHENTICATED = 6,  /* credentials missing or expired: fetch new ones */
    CAPSTAN_E_PERMISSION = 7,       /* an operator must grant something: say what */
    CAPSTAN_E_THROTTLED = 8,        /* skip a few passes, or `retry_after_ms` */
    CAPSTAN_E_QUOTA = 9,            /* back the group off, fall over to the next option */
    CAPSTAN_E_OUT_OF_CAPACITY = 10, /* back the group off, fall over to the next option */
    CAPSTAN_E_UNAVAILABLE = 11,     /* try again on the next pass */
    CAPSTAN_E_DEADLINE = 12,        /* the call took too long */
    CAPSTAN_E_CANCELLED = 13,       /* the caller gave up, or the instance is stopping */
    CAPSTAN_E_INTERNAL = 14,        /* a bug: reported, the cluster is left as it is */
    CAPSTAN_E_BUSY = 15             /* a bounded queue or pool is full: try again later */
};

typedef struct capstan_error {
    uint32_t struct_size;
    capstan_status code;
    capstan_str message;       /* what was tried, on what, what came back; cut at 4 KiB */
    capstan_str provider_code; /* "InsufficientInstanceCapacity"; empty: none */
    capstan_str subject;       /* the group or instance id it is about, in lists; empty: none */
    int64_t retry_after_ms;    /* < 0: no advice */
} capstan_error;

CAPSTAN_END_DECLS
#endif
