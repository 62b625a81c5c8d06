/* capstan/abi/host.h - the host's table for one plugin instance. */
#ifndef CAPSTAN_ABI_HOST_H
#define CAPSTAN_ABI_HOST_H

#include "base.h"

CAPSTAN_BEGIN_DECLS

/** Lent to one instance from `create` until `destroy` returns; each instance has its own. */
typedef struct capstan_host {
    uint32_t struct_size;
    uint16_t abi_major;
    uint16_t abi_minor;
    capstan_str product; /* "capstan", or a test harness's name */
    capstan_str version;
    capstan_str instance_id; /* the name of this instance's table in the configuration */
    void *ctx;               /* the host's own; opaque to the plugin */
    /** [any] A service's table by id ("capstan.log/1"), or NULL when this host has none or the
     *  configuration does not grant it. Answers never change during an instance's life. */
    const void *(*service)(const struct capstan_host *host, const char *service_id) CAPSTAN_NOEXCEPT;
} capstan_host;

CAPSTAN_END_DECLS
#endif
