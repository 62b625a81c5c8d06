/* capstan/abi/service_clock.h - "capstan.clock/1": time and chance. Always granted. Virtual under
 * simulation and seeded in a replay, so a plugin asks neither the system's clock nor its randomness. */
#ifndef CAPSTAN_ABI_SERVICE_CLOCK_H
#define CAPSTAN_ABI_SERVICE_CLOCK_H

#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_CLOCK "capstan.clock/1"

typedef struct capstan_clock {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Nanoseconds on a clock that never steps back; the clock of all deadlines. */
    int64_t (*monotonic_ns)(const capstan_host *host) CAPSTAN_NOEXCEPT;
    /** [any] Nanoseconds since 1970. */
    int64_t (*unix_ns)(const capstan_host *host) CAPSTAN_NOEXCEPT;
    /** [any] 64 random bits, for jitter and idempotency keys. A pure hook uses the call's seed instead. */
    uint64_t (*random)(const capstan_host *host) CAPSTAN_NOEXCEPT;
} capstan_clock;

CAPSTAN_END_DECLS
#endif
