/* capstan/abi/service_wake.h - "capstan.wake/1": asks for an early pass. Granted to clouds. */
#ifndef CAPSTAN_ABI_SERVICE_WAKE_H
#define CAPSTAN_ABI_SERVICE_WAKE_H

#include "host.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_SERVICE_WAKE "capstan.wake/1"

typedef struct capstan_wake {
    uint32_t struct_size;
    uint32_t reserved;
    /** [any] Makes the next pass, and with it the next `refresh`, begin soon, for example after a
     *  notice that a spot machine is taken back, or when an operation ended. `why` says what
     *  happened, in a few words for the log; 256 bytes are kept. Several requests become one, and
     *  passes that begin on request are at least 5 s apart. While the host does not lead, a request
     *  is dropped, since leading begins with a pass. The host decides by what `refresh` shows,
     *  never by the request itself. CAPSTAN_E_CANCELLED: the instance stops. */
    capstan_status (*wake)(const capstan_host *host, capstan_str why) CAPSTAN_NOEXCEPT;
} capstan_wake;

CAPSTAN_END_DECLS
#endif
