/// The instances of a configuration, alive: made, started, and stopped in reverse order.
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

#include "runtime/guard/guard.hpp"
#include "runtime/instances/instance.hpp"
#include "runtime/plugin_set.hpp"

namespace capstan::runtime {

/// What an instance of `plugin` is made of.
instances::InstanceSpec instance_spec(const LoadedPlugin& plugin);

/// Owns the event loop. In real time it runs on a thread of its own while this lives; on virtual
/// time nothing happens but inside `wait` and the calls of `virtual_loop`, on the caller's thread,
/// and no requests go out but by `Options::http`. Used by one thread at a time.
class PluginHost {
public:
    template <class T>
    using Done = std::function<void(Result<T>)>;
    using Instances = std::vector<std::shared_ptr<instances::PluginInstance>>;

    struct Options {
        std::uint64_t seed = 0;
        std::string version{};  ///< the host's own, as plugins are told
        /// The file where calls leave their crumbs; empty: nowhere.
        std::filesystem::path breadcrumbs{};
        /// The folder where instances keep their state, made where there is none; empty: it goes
        /// with this host, for commands of one decision.
        std::filesystem::path state{};
        /// The folder where instances keep what may be lost; empty: nothing is kept.
        std::filesystem::path cache{};
        /// The clock of deadlines and timers, moved by its owner; NULL: the machine's.
        std::shared_ptr<io::ManualClock> clock{};
        /// Makes the clients of instances; empty: those of the network, and with a clock none.
        services::HttpClients http{};
        /// Whether there will be a cluster for plugins; see cluster().
        bool has_cluster = false;
        /// Each instance whose strand runs code has a thread for it, so that one that does not
        /// return holds up nothing else. Not with a clock. Otherwise all strands are on the loop,
        /// and what happens has one order.
        bool has_strand_threads = false;
        /// What clouds are asked for is not carried out; plugins are told.
        bool is_dry_run = false;
        /// Watches the loop and the calls of instances. Borrowed; NULL: nothing does.
        guard::Guard* guard = nullptr;
    };
    /// Makes every instance of `plugins` in their order, then starts them all at once. The first
    /// error undoes everything and names its instance.
    static Result<std::unique_ptr<PluginHost>> start(const config::Config& config,
                                                     const PluginSet& plugins, Options options);
    /// One without instances, which come by `add`; `identities` are those of `plugins`.
    static Result<std::unique_ptr<PluginHost>> open(const config::Config& config,
                                                    const PluginSet& plugins, Options options);

    PluginHost(const PluginHost&) = delete;
    PluginHost& operator=(const PluginHost&) = delete;
    /// Stops every instance, the last one made first, each within its deadline. What cannot be
    /// stopped is left behind and said in the log.
    ~PluginHost();

    /// NULL: there is no such instance. [any thread]
    std::shared_ptr<instances::PluginInstance> find(const PluginInstanceId& id) const;
    /// In the order in which they came. [any thread]
    std::vector<std::shared_ptr<instances::PluginInstance>> instances() const;
    /// One that runs, of a name that is not there yet; stopped with the others. [any thread]
    void add(std::shared_ptr<instances::PluginInstance> instance);
    /// Instances of those plugins that run, beside others of the same names: `exchange` brings them
    /// in, `stop` does away with them. The first error stops them all and names its instance. In
    /// real time each is created on a thread that is abandoned where the plugin does not return.
    Result<Instances> make_beside(const std::vector<const LoadedPlugin*>& plugins);
    /// From now on `made` are here, in the places of those of their names, and those in `gone` are
    /// not. The answer: the ones that are here no longer, which still run.
    Instances exchange(const Instances& made, const std::vector<PluginInstanceId>& gone);
    /// Each within its deadline. What cannot be stopped is left behind and said in the log.
    void stop(const Instances& instances, StopReason reason);
    /// Of all instances of the configuration that counts, whether they are there or not. [the
    /// thread that exchanges them]
    const std::vector<services::InstanceIdentity>& identities() const noexcept {
        return identities_;
    }
    /// What instances of this host are made with.
    const services::HostEnvironment& environment() const noexcept { return environment_; }
    io::Loop& loop() noexcept { return *loop_; }
    /// What plugins see of the cluster, to be connected by its owner on the loop's thread, and
    /// disconnected there before the connection goes. NULL: without has_cluster.
    services::KubeGateway* cluster() noexcept { return environment_.kube.get(); }
    /// Moves the virtual time; NULL: this host lives in real time.
    io::ManualLoop* virtual_loop() noexcept { return virtual_loop_; }
    /// What `begin` starts and ends with its argument, waited for. On virtual time the clock goes
    /// from timer to timer until the end is there. `deadline`: it did not come within `patience`.
    template <class T>
    Result<T> wait(const std::function<void(Done<T>)>& begin, Duration patience);
    /// Whether strands have threads of their own.
    bool has_strand_threads() const noexcept { return environment_.has_strand_threads; }
    /// The calls into plugins that are under way. [any thread]
    const loop::CallWatches& calls() const noexcept { return *environment_.calls; }
    /// NULL: nothing watches this host.
    guard::Guard* guard() noexcept { return guard_; }
    /// Of clouds that want a pass.
    services::PassRequests& pass_requests() noexcept { return *environment_.pass_requests; }
    services::Logger& log() noexcept { return *environment_.log; }
    /// NULL: nothing is recorded of this process.
    std::shared_ptr<loop::Breadcrumbs> breadcrumbs() const { return environment_.crumbs; }
    /// What instances keep.
    services::StateStore& state() noexcept { return *environment_.state; }
    services::Metrics& metrics() noexcept { return *environment_.metrics; }
    std::shared_ptr<services::Metrics> shared_metrics() const { return environment_.metrics; }
    /// The calls that overran and have not returned.
    std::shared_ptr<loop::AbandonedThreads> abandoned_threads() const {
        return environment_.abandoned;
    }

private:
    PluginHost(const config::Config& config, Options options);
    Result<void> open_breadcrumbs(const std::filesystem::path& file);
    Result<void> make(const LoadedPlugin& plugin);
    Result<void> start_all(const Instances& instances);
    Result<std::shared_ptr<instances::PluginInstance>> create_beside(const LoadedPlugin& plugin);
    template <class T>
    Result<T> wait_for(std::future<Result<T>>& end, Duration patience);
    void pass_time(const std::function<bool()>& is_over, Duration patience);

    guard::Guard* const guard_;
    boost::asio::io_context io_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::unique_ptr<io::Loop> loop_;
    io::ManualLoop* virtual_loop_ = nullptr;  ///< `loop_`, if it is one
    services::HostEnvironment environment_;
    std::vector<services::InstanceIdentity> identities_;
    mutable std::mutex mutex_;  ///< guards what follows
    std::vector<std::shared_ptr<instances::PluginInstance>> instances_;
    std::thread thread_;  ///< none on virtual time
};

namespace detail {

/// Starts something that ends with a Result<T>, as a future.
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
    return fail(ErrorCode::deadline, "the event loop does not answer");
}

}  // namespace capstan::runtime
