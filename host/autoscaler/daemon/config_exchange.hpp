/// The configuration in force, and the reload of another one.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/autoscaler.hpp"
#include "autoscaler/daemon/pass_reporter.hpp"
#include "autoscaler/daemon/reload.hpp"

namespace capstan::autoscaler::daemon {

/// [passes' thread]
class ConfigExchange {
public:
    using Read = std::function<Result<std::shared_ptr<const LoadedConfig>>()>;
    /// Called with the instances that are about to be replaced or removed. [passes' thread]
    using OnExchange = std::function<void(const std::vector<PluginInstanceId>& ids)>;

    ConfigExchange(std::shared_ptr<const LoadedConfig> config, PluginHost& host,
                   OnExchange on_exchange = {})
        : host_(host),
          on_exchange_(std::move(on_exchange)),
          started_(std::move(config)),
          loaded_(started_) {}

    const config::Config& config() const { return loaded_->config; }
    const std::shared_ptr<const LoadedConfig>& loaded() const noexcept { return loaded_; }
    /// [any thread]
    std::string toml() const;

    /// Takes over each changed key that can be taken over while running, and logs these keys and
    /// those that wait for a restart. If the configuration is invalid, or a new instance of a
    /// plugin that decides cannot be created or started, nothing is taken over and the errors are
    /// logged. Replaced instances run on until stop_replaced(), since questions about the last pass
    /// call them.
    void take_over(const Read& read, Autoscaler& autoscaler, ObservableState& observable,
                   const std::shared_ptr<LoopServices>& services);
    /// Stops the replaced instances. To be called after a pass without them.
    void stop_replaced();
    /// The file has gone, or is back. [any thread]
    void observe_file(bool is_gone, ObservableState& observable) const;
    /// The file has changed, and is read at SIGHUP only. [any thread]
    void leave_unread(ObservableState& observable) const;

private:
    using LoadedPtr = std::shared_ptr<const LoadedConfig>;
    void log(config::LogLevel level, const std::string& sentence) const;
    void refuse(const std::string& complaints, ObservableState& observable);
    Result<void> check_kinds(const LoadedConfig& next, const ConfigChanges& changes) const;
    Result<void> exchange(const LoadedPtr& next, const ConfigChanges& changes,
                          Autoscaler& autoscaler);
    /// Hands new settings to running instances. Returns the keys that keep their old settings.
    std::vector<std::string> hand_over(const ConfigChanges& changes, const LoadedPtr& next);
    Time wall() const;

    PluginHost& host_;
    const OnExchange on_exchange_;
    /// The configuration of the start: keys that wait for a restart still have its values.
    const LoadedPtr started_;
    PluginHost::Instances replaced_{};
    mutable std::mutex mutex_;  ///< guards the pointer
    LoadedPtr loaded_;
};

}  // namespace capstan::autoscaler::daemon
