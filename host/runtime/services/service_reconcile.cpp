#include <algorithm>

#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

capstan_status want(const capstan_host* host, std::int64_t within_ns) noexcept {
    return guarded([&]() -> capstan_status {
        HostContext& of = context(host);
        if (of.tasks().is_closed()) return CAPSTAN_E_CANCELLED;
        of.wishes().want(Duration(std::max<std::int64_t>(within_ns, 0)));
        return CAPSTAN_OK;
    });
}

}  // namespace

const capstan_reconcile_service reconcile{sizeof reconcile, 0, &want};

}  // namespace capstan::runtime::services
