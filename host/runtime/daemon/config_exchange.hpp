/// The configuration that counts, and its exchange for another one while running.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/daemon/autoscaler.hpp"
#include "runtime/daemon/pass_reporter.hpp"
#include "runtime/daemon/reload.hpp"

namespace capstan::runtime::daemon {

/// [passes' thread]
class ConfigExchange {
public:
    using Read = std::function<Result<std::shared_ptr<const LoadedConfig>>()>;
    /// Told of instances that are exchanged, or go, right before it. [passes' thread]
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

    /// Each key that has changed and can be taken over, or with what is wrong in the log none of
    /// them. Which keys have been and which wait for a restart is said each time. Plugins that
    /// decide are made and started beside those that run; where one of them cannot be, the old
    /// configuration is kept. The ones that they replace run on until stop_replaced(), for the last
    /// pass may be asked about.
    void take_over(const Read& read, Autoscaler& autoscaler, ObservableState& shown,
                   const std::shared_ptr<BackgroundServices>& beside);
    /// There has been a pass without them.
    void stop_replaced();
    /// The file is gone, or there again. [any thread]
    void see_file(bool is_gone, ObservableState& shown) const;
    /// The file has changed, and only SIGHUP has it read. [any thread]
    void leave_unread(ObservableState& shown) const;

private:
    using LoadedPtr = std::shared_ptr<const LoadedConfig>;
    void tell(config::LogLevel level, const std::string& sentence) const;
    void refuse(const std::string& complaints, ObservableState& shown);
    Result<void> check_kinds(const LoadedConfig& next, const ConfigChanges& changes) const;
    Result<void> exchange(const LoadedPtr& next, const ConfigChanges& changes,
                          Autoscaler& autoscaler);
    /// The answer: what keeps its old settings.
    std::vector<std::string> hand_over(const ConfigChanges& changes, const LoadedPtr& next);
    Time wall() const;

    PluginHost& host_;
    const OnExchange on_exchange_;
    /// With it the process began: what waits for a restart still is as it says.
    const LoadedPtr started_;
    PluginHost::Instances replaced_{};
    mutable std::mutex mutex_;  ///< guards the pointer
    LoadedPtr loaded_;
};

}  // namespace capstan::runtime::daemon
