#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

capstan_status complete(const capstan_host* host, capstan_op op, std::uint32_t type,
                        const void* result) noexcept {
    return guarded([&] { return context(host).operations().complete(op, type, result); });
}

capstan_status fail_op(const capstan_host* host, capstan_op op,
                       const capstan_error* error) noexcept {
    return guarded([&] { return context(host).operations().fail(op, error); });
}

std::int32_t cancelled(const capstan_host* host, capstan_op op) noexcept {
    return context(host).operations().is_cancelled(op) ? 1 : 0;
}

std::int64_t deadline_ns(const capstan_host* host, capstan_op op) noexcept {
    return context(host).operations().deadline_of(op).value_or(Duration::zero()).count();
}

capstan_status on_cancel(const capstan_host* host, capstan_op op, OperationTable::CancelFunction fn,
                         void* user) noexcept {
    return guarded([&] { return context(host).operations().on_cancel(op, fn, user); });
}

}  // namespace

const capstan_ops ops{sizeof ops, 0, &complete, &fail_op, &cancelled, &deadline_ns, &on_cancel};

}  // namespace capstan::runtime::services
