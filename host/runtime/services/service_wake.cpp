#include "io/printable.hpp"
#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

constexpr std::size_t why_limit = 256;

capstan_status wake_host(const capstan_host* host, capstan_str why) noexcept {
    return guarded([&]() -> capstan_status {
        HostContext& of = context(host);
        if (of.tasks().is_closed()) return CAPSTAN_E_CANCELLED;
        of.metrics().wanted_pass();
        of.pass_wishes().want({of.id(), io::printable(text(why), why_limit)});
        return CAPSTAN_OK;
    });
}

}  // namespace

const capstan_wake wake{sizeof wake, 0, &wake_host};

}  // namespace capstan::runtime::services
