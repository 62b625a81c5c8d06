#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

std::int64_t monotonic_ns(const capstan_host* host) noexcept {
    return context(host).clock().monotonic().count();
}

std::int64_t wall_ns(const capstan_host* host) noexcept {
    return capstan::unix_ns(context(host).clock().wall());
}

std::uint64_t random_bits(const capstan_host* host) noexcept {
    return context(host).random().next();
}

}  // namespace

const capstan_clock clock{sizeof clock, 0, &monotonic_ns, &wall_ns, &random_bits};

}  // namespace capstan::runtime::services
