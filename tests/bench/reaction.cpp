// The case `reaction`: the time from an unschedulable pod to the order of a machine, over the
// network, in real time, with the daemon.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <tuple>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "cases.hpp"
#include "live_cluster.hpp"
#include "measured.hpp"
#include "pod_traffic.hpp"
#include "simulator/api_server/api_server.hpp"

namespace capstan::bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto wait_max = 2min;

/// An API server that listens on loopback on its own thread.
class ServedCluster {
public:
    explicit ServedCluster(const LiveSize& size) : traffic_(store_, size) {
        control_plane_.start();
        if (const auto listening = server_.listen(); !listening)
            throw std::runtime_error(listening.error().message);
        thread_ = std::thread([this] { io_.run(); });
    }
    ServedCluster(const ServedCluster&) = delete;
    ServedCluster& operator=(const ServedCluster&) = delete;
    ~ServedCluster() {
        io_.stop();
        thread_.join();
    }
    std::string kubeconfig() const { return server_.kubeconfig(); }
    void add_pending(int count) {
        boost::asio::post(io_, [this, count] { traffic_.add_pending("waiting", count); });
    }
    void add_hopeless(int count) {
        boost::asio::post(io_, [this, count] { traffic_.add_hopeless("hopeless", count); });
    }

private:
    boost::asio::io_context io_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        io_.get_executor()};
    io::Loop loop_{io_};
    simulator::api_server::ObjectStore store_{loop_, {}};
    simulator::api_server::ApiServer server_{store_};
    simulator::control_plane::ControlPlane control_plane_{store_, large_cluster};
    PodTraffic traffic_;
    std::thread thread_;
};

/// Records the passes of the daemon: the size of the last cluster, and when machines were
/// ordered. [any thread]
class PassRecorder {
public:
    void record(const autoscaler::PassReport& pass) {
        const std::lock_guard lock(mutex_);
        nodes_ = pass.input.snapshot.cluster.node_count();
        pods_ = pass.input.snapshot.cluster.pod_count();
        if (!pass.decision().increases.empty()) {
            ++orders_;
            ordered_at_ = Clock::now();
        }
        changed_.notify_all();
    }
    void wait_for_cluster(std::size_t nodes, std::size_t pods) {
        wait([&] { return nodes_ >= nodes && pods_ >= pods; });
    }
    /// Waits for the first order after the `after`th, and returns when its pass ended.
    Clock::time_point wait_for_order(int after) {
        wait([&] { return orders_ > after; });
        const std::lock_guard lock(mutex_);
        return ordered_at_;
    }
    int orders() {
        const std::lock_guard lock(mutex_);
        return orders_;
    }

private:
    template <class Holds>
    void wait(Holds holds) {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, wait_max, holds))
            throw std::runtime_error("the daemon did not reach the expected state in time");
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t nodes_ = 0, pods_ = 0;
    int orders_ = 0;
    Clock::time_point ordered_at_{};
};

/// Runs the daemon on its own thread until the object is destroyed.
class RunningDaemon {
public:
    RunningDaemon(const LiveSetup& setup, PassRecorder& recorder)
        : host_(setup.start(nullptr)),
          thread_([this, &setup, &recorder] { run(setup, recorder); }) {}
    RunningDaemon(const RunningDaemon&) = delete;
    RunningDaemon& operator=(const RunningDaemon&) = delete;
    ~RunningDaemon() {
        if (!has_ended_) std::raise(SIGTERM);
        thread_.join();
    }

private:
    void run(const LiveSetup& setup, PassRecorder& recorder) {
        std::ignore = autoscaler::daemon::run_daemon(
            setup.config(), *host_,
            {.version = "bench",
             .identity = "bench",
             .seed = 1,
             .on_overdue = [] { std::_Exit(1); },
             .on_pass =
                 [&recorder](const autoscaler::PassReport& pass) { recorder.record(pass); }});
        has_ended_ = true;
    }

    std::unique_ptr<autoscaler::PluginHost> host_;
    std::atomic<bool> has_ended_ = false;
    std::thread thread_;
};

double percentile(std::vector<double> sorted, double share) {
    return sorted.at(std::min(
        sorted.size() - 1, static_cast<std::size_t>(share * static_cast<double>(sorted.size()))));
}

}  // namespace

boost::json::object measure_reaction(const Reaction& of) {
    const LiveSize size{.groups = 10,
                        .nodes_per_group = of.nodes / 10,
                        .pods_per_node = of.pods_per_node,
                        .requests_per_second = of.requests_per_second};
    ServedCluster cluster(size);
    // Machines boot longer than the benchmark runs, so each sample needs another machine.
    const LiveSetup setup(size, cluster.kubeconfig(), "100h",
                          "[scale_up]\nmax_node_provision_time = \"200h\"\n");
    PassRecorder recorder;
    const RunningDaemon daemon(setup, recorder);
    const auto first_nodes =
        static_cast<std::size_t>(size.groups) * static_cast<std::size_t>(size.nodes_per_group);
    const std::size_t first_pods = first_nodes * static_cast<std::size_t>(size.pods_per_node);
    recorder.wait_for_cluster(first_nodes, first_pods);
    cluster.add_hopeless(of.hopeless);
    recorder.wait_for_cluster(first_nodes, first_pods + static_cast<std::size_t>(of.hopeless));
    io::RandomSource random(1);
    std::vector<double> seconds;
    for (int i = 0; i < of.samples; ++i) {
        // The pods are created at a random time between two passes.
        std::this_thread::sleep_for(std::chrono::milliseconds(random.next() % 1000));
        const int orders = recorder.orders();
        const Clock::time_point began = Clock::now();
        cluster.add_pending(2);
        seconds.push_back(
            std::chrono::duration<double>(recorder.wait_for_order(orders) - began).count());
    }
    std::ranges::sort(seconds);
    return {{"case", "reaction"},
            {"nodes", of.nodes},
            {"pods", first_pods},
            {"hopeless", of.hopeless},
            {"samples", of.samples},
            {"p50_seconds", percentile(seconds, 0.5)},
            {"p90_seconds", percentile(seconds, 0.9)},
            {"p99_seconds", percentile(seconds, 0.99)},
            {"max_seconds", seconds.back()},
            {"rss_mb", peak_megabytes()}};
}

}  // namespace capstan::bench
