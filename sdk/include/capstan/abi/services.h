/* capstan/abi/services.h - all services of the host; each has a header of its own. */
#ifndef CAPSTAN_ABI_SERVICES_H
#define CAPSTAN_ABI_SERVICES_H

#include "service_cache.h"
#include "service_clock.h"
#include "service_exec.h"
#include "service_http.h"
#include "service_kube.h"
#include "service_log.h"
#include "service_metrics.h"
#include "service_ops.h"
#include "service_reconcile.h"
#include "service_secrets.h"
#include "service_state.h"
#include "service_wake.h"

#endif
