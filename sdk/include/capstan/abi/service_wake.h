/* capstan/abi/service_wake.h - "capstan.wake/1": asking for a pass before its time. Granted to clouds. */
#ifndef CAPSTAN_ABI_SERVICE_WAKE_H
#define CAPSTAN_ABI_SERVICE_WAKE_H

#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_WAKE "capstan.wake/1"

typedef struct capstan_wake {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Has the next pass, and with it the next `refresh`, begin soon: a notice came that a spot machine
     *  goes, or an operation ended. `why` says what happened, in a few words for the log; 256 bytes are kept.
     *  Wishes become one, and passes that begin by them are 5 s apart. While the host does not lead a wish is
     *  dropped, for leading begins with a pass. Nothing is promised: what has to be done is told by `refresh`.
     *  CAPSTAN_E_CANCELLED: the instance stops. */
    capstan_status (*wake)(const capstan_host *host, capstan_str why) CAPSTAN_NOEXCEPT;
} capstan_wake;

CAPSTAN_END_DECLS
#endif
