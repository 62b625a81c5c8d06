/* capstan/abi/service_exec.h - "capstan.exec/1": the strand, timers and a bounded pool for blocking work.
 * Always granted. A plugin starts no thread of its own, so the host knows when `stop` has ended all
 * work.
 *
 * Every capstan_task that was accepted (CAPSTAN_OK was returned) is called exactly once: with CAPSTAN_OK when
 * it is due, or with CAPSTAN_E_CANCELLED when the instance stops or the timer is cancelled first. A task that
 * was refused is never called. */
#ifndef CAPSTAN_ABI_SERVICE_EXEC_H
#define CAPSTAN_ABI_SERVICE_EXEC_H

#include "error.h"
#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_EXEC "capstan.exec/1"

/** [strand] `user` is the pointer that was handed in; `status` as above. */
typedef void (*capstan_task)(void *user, capstan_status status) CAPSTAN_NOEXCEPT;

typedef struct capstan_exec {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Calls `fn` on the strand, after the tasks queued there. CAPSTAN_E_CANCELLED: the instance stops.
     *  CAPSTAN_E_BUSY: the queue is full. */
    capstan_status (*post)(const capstan_host *host, capstan_task fn, void *user) CAPSTAN_NOEXCEPT;
    /** [any] Calls `fn` on the strand, `delay_ns` from now (<= 0: as `post`); leaves a timer id in `*timer`
     *  (may be NULL). Errors as of `post`. */
    capstan_status (*after)(const capstan_host *host, int64_t delay_ns, capstan_task fn, void *user,
                            uint64_t *timer) CAPSTAN_NOEXCEPT;
    /** [any] The timer's function is called soon, with CAPSTAN_E_CANCELLED. CAPSTAN_E_NOT_FOUND:
     *  the timer has fired or was cancelled before. */
    capstan_status (*cancel_timer)(const capstan_host *host, uint64_t timer) CAPSTAN_NOEXCEPT;
    /** [any] Runs `work` on a thread that may block, then `done` on the strand. If the instance stops first,
     *  `work` is not called and `done` gets CAPSTAN_E_CANCELLED; the host waits for work that is under way.
     *  CAPSTAN_E_BUSY: all threads are in use and the queue is full; CAPSTAN_E_CANCELLED: the instance stops.
     *  */
    capstan_status (*blocking)(const capstan_host *host, void (*work)(void *user) CAPSTAN_NOEXCEPT, capstan_task done,
                               void *user) CAPSTAN_NOEXCEPT;
} capstan_exec;

CAPSTAN_END_DECLS
#endif
