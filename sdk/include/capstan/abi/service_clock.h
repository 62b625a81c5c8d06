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
    /** [any] Nanoseconds on a clock that goes on evenly and never steps; the clock of all deadlines, and of
     *  the ages of what the plugin itself saw or did. Its zero means nothing, and is another in each process. */
    int64_t (*monotonic_ns)(const capstan_host *host) CAPSTAN_NOEXCEPT;
    /** [any] Nanoseconds since 1970 as the machine's clock shows them, for what others wrote or are to read:
     *  timestamps of objects, signatures, the end of a token. The machine's clock may be set forward or back
     *  at any time, so the difference of two of these is no age. */
    int64_t (*unix_ns)(const capstan_host *host) CAPSTAN_NOEXCEPT;
    /** [any] 64 random bits, for jitter and idempotency keys. A pure hook uses the call's seed instead. */
    uint64_t (*random)(const capstan_host *host) CAPSTAN_NOEXCEPT;
} capstan_clock;

CAPSTAN_END_DECLS
#endif
