/// The configuration that counts, and its exchange for another one while running.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/daemon/autoscaler.hpp"
#include "runtime/daemon/pass_teller.hpp"
#include "runtime/daemon/reload.hpp"

namespace capstan::runtime {

/// [passes' thread]
class ConfigExchange {
public:
    using Read = std::function<Result<std::shared_ptr<const LoadedConfig>>()>;

    ConfigExchange(std::shared_ptr<const LoadedConfig> config, PluginHost& host)
        : host_(host), started_(std::move(config)), loaded_(started_) {}

    const Config& config() const { return loaded_->config; }
    const std::shared_ptr<const LoadedConfig>& loaded() const noexcept { return loaded_; }
    /// [any thread]
    std::string toml() const;

    /// All of what has changed and can be taken over, or with what is wrong in the log nothing of
    /// it. What waits for a restart is said each time.
    void take_over(const Read& read, Autoscaler& autoscaler, Shown& shown,
                   const std::shared_ptr<Beside>& beside);

private:
    void tell(LogLevel level, const std::string& sentence);
    void refuse(const std::string& complaints);
    void hand_over(const ConfigChanges& changes, const std::shared_ptr<const LoadedConfig>& next);

    PluginHost& host_;
    /// With it the process began: what waits for a restart still is as it says.
    const std::shared_ptr<const LoadedConfig> started_;
    mutable std::mutex mutex_;  ///< guards the pointer
    std::shared_ptr<const LoadedConfig> loaded_;
};

}  // namespace capstan::runtime
