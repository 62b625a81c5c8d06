/* capstan/abi/service_clock.h - "capstan.clock/1": time and random numbers. Always granted. Time is
 * virtual in a simulation and random numbers are seeded in a replay, so a plugin never uses the system's. */
#ifndef CAPSTAN_ABI_SERVICE_CLOCK_H
#define CAPSTAN_ABI_SERVICE_CLOCK_H

#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_CLOCK "capstan.clock/1"

typedef struct capstan_clock {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Nanoseconds on a clock that advances evenly and never steps. All deadlines are on this clock,
     *  and a plugin measures with it how long ago it saw or did something. Its zero is arbitrary, and differs
     *  between processes. */
    int64_t (*monotonic_ns)(const capstan_host *host) CAPSTAN_NOEXCEPT;
    /** [any] Nanoseconds since 1970 on the machine's clock, for times that other programs wrote or will read:
     *  timestamps of objects, signatures, the end of a token. The machine's clock may be set forward or back
     *  at any time, so the difference of two such times is not an age. */
    int64_t (*unix_ns)(const capstan_host *host) CAPSTAN_NOEXCEPT;
    /** [any] 64 random bits, for jitter and idempotency keys. A pure hook uses the call's seed instead. */
    uint64_t (*random)(const capstan_host *host) CAPSTAN_NOEXCEPT;
} capstan_clock;

CAPSTAN_END_DECLS
#endif
