/// The running instances of a configuration, and the event loop that they share.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <capstan/ids.hpp>
#include <capstan/result.hpp>

#include "autoscaler/plugin_set.hpp"
#include "plugin_runtime/guard/guard.hpp"
#include "plugin_runtime/instances/instance.hpp"

namespace capstan::autoscaler {

/// What an instance of `plugin` is made of.
plugin_runtime::instances::InstanceSpec instance_spec(const LoadedPlugin& plugin);

/// Owns the event loop. Instances are created and started in the order of the configuration, and
/// stopped in reverse order. In real time the loop runs on a thread of its own during the life of
/// this object. On virtual time everything happens on the caller's thread, inside `wait` and the
/// calls of `virtual_loop`, and requests are sent only through `Options::http`. Used by one thread
/// at a time.
class PluginHost {
public:
    template <class T>
    using Done = std::function<void(Result<T>)>;
    using Instances = std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>>;

    struct Options {
        std::uint64_t seed = 0;
        std::string version{};  ///< of the host, as plugins see it
        /// The file of call markers, see Breadcrumbs; empty: there is none.
        std::filesystem::path breadcrumbs{};
        /// The folder where instances keep their state; it is created if it is missing. Empty:
        /// state is kept in memory, for commands that make one decision.
        std::filesystem::path state{};
        /// The folder of `capstan.cache/1`; empty: instances have no cache.
        std::filesystem::path cache{};
        /// The clock of deadlines and timers, advanced by its owner; NULL: the machine's clock.
        std::shared_ptr<io::ManualClock> clock{};
        /// Makes the HTTP clients of instances. Empty: they use the network; with a `clock` there
        /// are none.
        plugin_runtime::services::HttpClients http{};
        /// Whether there will be a cluster for plugins; see cluster().
        bool has_cluster = false;
        /// The strand of each instance has a thread of its own, so that a plugin that does not
        /// return blocks no other one. Not with a `clock`. Otherwise all strands run on the loop,
        /// in one deterministic order.
        bool has_strand_threads = false;
        /// Actions of clouds are not carried out, and plugins see the flag for dry runs.
        bool is_dry_run = false;
        /// Receives the lines of the log. Empty: they go to standard error.
        plugin_runtime::services::Logger::Sink log{};
        /// Watches the loop and the calls of instances. Borrowed. NULL: there is no guard.
        plugin_runtime::guard::Guard* guard = nullptr;
    };
    /// Creates the instances of `plugins` in their order, then starts all of them at once. After an
    /// error all instances are stopped; the error names its instance.
    static Result<std::unique_ptr<PluginHost>> start(const config::Config& config,
                                                     const PluginSet& plugins, Options options);
    /// A host without instances, which are added by `add`; `identities` are those of `plugins`.
    static Result<std::unique_ptr<PluginHost>> open(const config::Config& config,
                                                    const PluginSet& plugins, Options options);

    PluginHost(const PluginHost&) = delete;
    PluginHost& operator=(const PluginHost&) = delete;
    /// Stops every instance, the last one first, each within its deadline. An instance that cannot
    /// be stopped is never destroyed, and the log says so.
    ~PluginHost();

    /// NULL: there is no such instance. [any thread]
    std::shared_ptr<plugin_runtime::instances::PluginInstance> find(
        const PluginInstanceId& id) const;
    /// In the order in which they were added. [any thread]
    std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>> instances() const;
    /// Creates an instance, which is neither started nor part of the host: `stop` destroys it.
    Result<std::shared_ptr<plugin_runtime::instances::PluginInstance>> create(
        const LoadedPlugin& plugin);
    /// Adds a running instance with a new id. The host stops it with the others. [any thread]
    void add(std::shared_ptr<plugin_runtime::instances::PluginInstance> instance);
    /// Creates and starts instances of those plugins. They are not part of the host yet, which may
    /// have instances of the same ids: `exchange` puts them into the host, `stop` stops them. After
    /// an error all of them are stopped; the error names its instance. In real time each is created
    /// on a thread that is abandoned if the plugin does not return.
    Result<Instances> make_replacements(const std::vector<const LoadedPlugin*>& plugins);
    /// Puts `made` into the host, each in the place of the instance of its id, and takes the
    /// instances of `gone` out. Returns the instances that were taken out, which still run.
    Instances exchange(const Instances& made, const std::vector<PluginInstanceId>& gone);
    /// Stops `instances`, the last one first, each within its deadline. An instance that cannot be
    /// stopped is never destroyed, and the log says so.
    void stop(const Instances& instances, StopReason reason);
    /// The identities of all instances of the running configuration, also of those that have not
    /// started. [the thread that exchanges them]
    const std::vector<plugin_runtime::services::InstanceIdentity>& identities() const noexcept {
        return identities_;
    }
    /// What all instances of this host share.
    const plugin_runtime::services::HostEnvironment& environment() const noexcept {
        return environment_;
    }
    io::Loop& loop() noexcept { return *loop_; }
    /// The cluster as plugins see it. The owner of the connection to the API server connects it on
    /// the loop's thread, and disconnects it there before the connection ends. NULL: without
    /// has_cluster.
    plugin_runtime::services::KubeGateway* cluster() noexcept { return environment_.kube.get(); }
    /// Advances virtual time; NULL: this host runs in real time.
    io::ManualLoop* virtual_loop() noexcept { return virtual_loop_; }
    /// Calls `begin` with a callback, and waits until the callback is called with the result. On
    /// virtual time the clock goes from timer to timer meanwhile. `deadline`: the callback was not
    /// called within `patience`.
    template <class T>
    Result<T> wait(const std::function<void(Done<T>)>& begin, Duration patience);
    /// Whether strands have threads of their own.
    bool has_strand_threads() const noexcept { return environment_.has_strand_threads; }
    /// The calls into plugins that are under way. [any thread]
    const plugin_runtime::loop::CallWatches& calls() const noexcept { return *environment_.calls; }
    /// NULL: there is no guard.
    plugin_runtime::guard::Guard* guard() noexcept { return guard_; }
    /// The requests of clouds for a pass.
    plugin_runtime::services::PassRequests& pass_requests() noexcept {
        return *environment_.pass_requests;
    }
    plugin_runtime::services::Logger& log() noexcept { return *environment_.log; }
    /// NULL: this process has no file of call markers.
    std::shared_ptr<plugin_runtime::loop::Breadcrumbs> breadcrumbs() const {
        return environment_.breadcrumbs;
    }
    /// The state that instances keep.
    plugin_runtime::services::StateStore& state() noexcept { return *environment_.state; }
    plugin_runtime::services::Metrics& metrics() noexcept { return *environment_.metrics; }
    std::shared_ptr<plugin_runtime::services::Metrics> shared_metrics() const {
        return environment_.metrics;
    }
    /// Threads of calls that overran their deadlines and have not returned.
    std::shared_ptr<plugin_runtime::loop::AbandonedThreads> abandoned_threads() const {
        return environment_.abandoned;
    }

private:
    PluginHost(const config::Config& config, Options options);
    Result<void> open_breadcrumbs(const std::filesystem::path& file);
    Result<void> start_all(const Instances& instances);
    Result<std::shared_ptr<plugin_runtime::instances::PluginInstance>> create_replacement(
        const LoadedPlugin& plugin);
    template <class T>
    Result<T> wait_for(std::future<Result<T>>& end, Duration patience);
    void pass_time(const std::function<bool()>& is_over, Duration patience);

    plugin_runtime::guard::Guard* const guard_;
    boost::asio::io_context io_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::unique_ptr<io::Loop> loop_;
    io::ManualLoop* virtual_loop_ = nullptr;  ///< `loop_`, if it is one
    plugin_runtime::services::HostEnvironment environment_;
    std::vector<plugin_runtime::services::InstanceIdentity> identities_;
    mutable std::mutex mutex_;  ///< guards what follows
    std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>> instances_;
    std::thread thread_;  ///< none on virtual time
};

namespace detail {

/// A future of the result that `begin` passes to its callback.
template <class T, class Begin>
std::future<Result<T>> future_of(const Begin& begin) {
    auto promise = std::make_shared<std::promise<Result<T>>>();
    std::future<Result<T>> end = promise->get_future();
    begin([promise](Result<T> result) { promise->set_value(std::move(result)); });
    return end;
}

}  // namespace detail

template <class T>
Result<T> PluginHost::wait(const std::function<void(Done<T>)>& begin, Duration patience) {
    std::future<Result<T>> end = detail::future_of<T>(begin);
    return wait_for(end, patience);
}

template <class T>
Result<T> PluginHost::wait_for(std::future<Result<T>>& end, Duration patience) {
    const auto is_there = [&end](Duration how_long) {
        return end.wait_for(how_long) == std::future_status::ready;
    };
    if (virtual_loop_ != nullptr)
        pass_time([&is_there] { return is_there(Duration::zero()); }, patience);
    if (is_there(virtual_loop_ == nullptr ? patience : Duration::zero())) return end.get();
    return fail(ErrorCode::deadline, "the event loop does not respond");
}

}  // namespace capstan::autoscaler
