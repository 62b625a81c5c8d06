/// The instances of a configuration, alive: made, started, and stopped in reverse order.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <capstan/ids.hpp>
#include <capstan/result.hpp>

#include "runtime/instances/instance.hpp"
#include "runtime/plugin_set.hpp"

namespace capstan::runtime {

/// Owns the event loop, which runs on a thread of its own while this lives. Used by one thread at a
/// time.
class PluginHost {
public:
    struct Options {
        std::uint64_t seed = 0;
        std::string version{};  ///< the host's own, as plugins are told
        /// The file where calls leave their crumbs; empty: nowhere.
        std::filesystem::path breadcrumbs{};
        /// The folder where instances keep their state; empty: it goes with this host, for commands
        /// of one decision.
        std::filesystem::path state{};
    };
    /// Makes every instance of `plugins` in their order, then starts them all at once. The first
    /// error undoes everything and names its instance.
    static Result<std::unique_ptr<PluginHost>> start(const Config& config, const PluginSet& plugins,
                                                     Options options);

    PluginHost(const PluginHost&) = delete;
    PluginHost& operator=(const PluginHost&) = delete;
    /// Stops every instance, the last one made first, each within its deadline. What cannot be
    /// stopped is left behind and said in the log.
    ~PluginHost();

    /// NULL: there is no such instance.
    std::shared_ptr<PluginInstance> find(const PluginInstanceId& id) const;
    const std::vector<std::shared_ptr<PluginInstance>>& instances() const noexcept {
        return instances_;
    }
    Loop& loop() noexcept { return loop_; }
    Logger& log() noexcept { return *environment_.log; }
    Metrics& metrics() noexcept { return *environment_.metrics; }

private:
    PluginHost(const Config& config, Options options);
    Result<void> open_breadcrumbs(const std::filesystem::path& file);
    Result<void> make(const LoadedPlugin& plugin);
    Result<void> start_all();

    boost::asio::io_context io_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    Loop loop_;
    HostEnvironment environment_;
    std::vector<std::shared_ptr<PluginInstance>> instances_;
    std::thread thread_;
};

}  // namespace capstan::runtime
