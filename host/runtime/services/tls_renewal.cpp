#include "runtime/services/tls_renewal.hpp"

#include <chrono>

#include "runtime/config/plugin_tls.hpp"

namespace capstan::runtime::services {
namespace {

constexpr Duration tls_check_period = std::chrono::seconds(10);

}  // namespace

Result<void> TlsRenewal::renew(Duration now,
                               const std::function<void(const io::TlsOptions&)>& use) {
    if (!files_.is_set()) return {};
    const std::lock_guard lock(mutex_);
    const bool is_fresh = looked_ && now - *looked_ < tls_check_period;
    if (is_fresh && known_) return {};
    if (is_fresh) return fail(*trouble_);
    looked_ = now;
    Result<io::TlsOptions> read = config::read_plugin_tls(files_);
    if (!read) return keep_old(read.error());
    trouble_.reset();
    if (known_ == *read) return {};
    known_ = *std::move(read);
    use(*known_);
    return {};
}

/// A pair that is replaced file by file does not fit for a moment.
Result<void> TlsRenewal::keep_old(const Error& error) {
    const bool is_new = trouble_ != error;
    trouble_ = error;
    if (!known_) return fail(error);
    if (is_new && on_trouble_) on_trouble_(error);
    return {};
}

}  // namespace capstan::runtime::services
