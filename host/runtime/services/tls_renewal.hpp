/// The authorities and the client certificate of an instance's requests, as their files are now.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "io/tls_options.hpp"
#include "runtime/config/pipeline.hpp"

namespace capstan::runtime::services {

/// Reads the files again before a request, at most every ten seconds, so that a renewed certificate
/// counts without a restart. [any thread]
class TlsRenewal {
public:
    using OnTrouble = std::function<void(const Error&)>;
    /// `on_trouble` is told when files that were fine can no longer be used; what they held before
    /// goes on to count.
    TlsRenewal(config::PluginTls files, OnTrouble on_trouble)
        : files_(std::move(files)), on_trouble_(std::move(on_trouble)) {}

    /// `now`: monotonic. Calls `use` with what is new, if anything is. The error of
    /// read_plugin_tls: the files have never been fine.
    Result<void> renew(Duration now, const std::function<void(const io::TlsOptions&)>& use);

private:
    Result<void> keep_old(const Error& error);

    const config::PluginTls files_;
    const OnTrouble on_trouble_;
    std::mutex mutex_;
    std::optional<Duration> looked_{};
    std::optional<io::TlsOptions> known_{};
    std::optional<Error> trouble_{};
};

}  // namespace capstan::runtime::services
