// The case `soak`: hours or days of a cluster behind an API server, with the daemon on
// virtual time.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <numeric>
#include <tuple>

#include <boost/json/array.hpp>

#include <capstan/time_text.hpp>

#include "cases.hpp"
#include "live_cluster.hpp"
#include "measured.hpp"
#include "pod_traffic.hpp"
#include "simulator/api_server/api_server.hpp"
#include "simulator/api_server/local_http_client.hpp"

namespace capstan::bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* kubeconfig =
    R"({"current-context":"c","clusters":[{"name":"c","cluster":{"server":"http://api.local"}}],
"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{}}]})";
constexpr const char* soak_settings =
    "[scale_down]\nunneeded_time = \"3m\"\ndelay_after_add = \"1m\"\n";
constexpr Duration sample_every = 10min;
/// The time in which the first nodes are filled; not measured.
constexpr Duration set_up = 1min;

double resident_mb() {
    long pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// The slope per sample, by least squares.
double slope_of(const std::vector<double>& values) {
    const double n = static_cast<double>(values.size());
    const double mean_x = (n - 1) / 2;
    const double mean_y = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double covariance = 0, variance = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = static_cast<double>(i) - mean_x;
        covariance += x * (values[i] - mean_y);
        variance += x * x;
    }
    return variance > 0 ? covariance / variance : 0;
}

/// The changes in the cluster. Running pods are replaced all the time. Every twenty minutes a burst
/// of pods arrives that needs new nodes. One pod of each new node is deleted after eight minutes,
/// so that nodes are drained; the others after fourteen.
class Churn {
public:
    Churn(simulator::api_server::ObjectStore& store, PodTraffic& traffic, const Soak& soak)
        : loop_(store.loop()), store_(store), traffic_(traffic), soak_(soak), random_(1) {}

    void start() {
        loop_.after(1s, [this] { replace(); });
        loop_.after(set_up, [this] {
            cpu_at_start_ = process_cpu_seconds();
            burst();
            sample();
        });
    }
    const std::vector<double>& rss() const { return rss_; }
    int replaced() const { return replaced_; }
    double cpu_at_start() const { return cpu_at_start_; }

private:
    void replace() {
        if (traffic_.is_complete())
            for (int i = 0; i < soak_.replaced_per_second; ++i, ++replaced_)
                traffic_.replace(random_.next());
        loop_.after(1s, [this] { replace(); });
    }
    void burst() {
        const std::string name = "burst-" + std::to_string(++bursts_);
        traffic_.add_pending(name, soak_.burst);
        loop_.after(8min, [this, name] { traffic_.remove_one_per_node(name); });
        loop_.after(14min, [this, name] { traffic_.remove(name); });
        loop_.after(20min, [this] { burst(); });
    }
    /// Deletes events older than an hour, as API servers do.
    void delete_old_events() {
        const simulator::api_server::ResourceKind& events = store_.kind("events");
        const std::string oldest = format_rfc3339(store_.now() - 1h, 0);
        for (const simulator::api_server::ApiObject& event : store_.list(events).items) {
            if (simulator::api_server::text_at(*event, "metadata.creationTimestamp") >= oldest)
                continue;
            std::ignore =
                store_.remove(events, simulator::api_server::text_at(*event, "metadata.namespace"),
                              simulator::api_server::text_at(*event, "metadata.name"));
        }
    }
    void sample() {
        delete_old_events();
        rss_.push_back(resident_mb());
        loop_.after(sample_every, [this] { sample(); });
    }

    io::Loop& loop_;
    simulator::api_server::ObjectStore& store_;
    PodTraffic& traffic_;
    const Soak soak_;
    io::RandomSource random_;
    std::vector<double> rss_;
    int replaced_ = 0, bursts_ = 0;
    double cpu_at_start_ = 0;
};

struct Counts {
    int passes = 0, increases = 0;
};

Counts run(const LiveSetup& setup, autoscaler::PluginHost& host, io::HttpClient& http,
           Duration span) {
    host.loop().after(span, [] { std::raise(SIGTERM); });
    Counts out;
    const auto count = [&out](const autoscaler::PassReport& pass) {
        ++out.passes;
        out.increases += static_cast<int>(pass.decision().increases.size());
    };
    const Result<void> ended = autoscaler::daemon::run_daemon(
        setup.config(), host,
        {.version = "bench",
         .identity = "bench",
         .seed = 1,
         .on_overdue = [] { throw std::runtime_error("the daemon does not stop"); },
         .on_pass = count,
         .http = &http});
    if (!ended) throw std::runtime_error(ended.error().message);
    return out;
}

boost::json::array rounded(const std::vector<double>& values) {
    boost::json::array out;
    for (const double value : values) out.emplace_back(std::llround(value));
    return out;
}

}  // namespace

boost::json::object measure_soak(const Soak& soak) {
    const LiveSize size{.groups = 10, .nodes_per_group = soak.nodes / 10};
    const LiveSetup setup(size, kubeconfig, "1m", soak_settings);
    const auto host = setup.start(
        std::make_shared<io::ManualClock>(time_from_unix_ns(1'795'255'200'000'000'000)));
    simulator::api_server::ObjectStore store(host->loop(), {.history = 2000});
    simulator::api_server::ApiServer server(store);
    simulator::api_server::LocalHttpClient http(server, host->loop());
    simulator::control_plane::ControlPlane control_plane(store, large_cluster);
    control_plane.start();
    PodTraffic traffic(store, size);
    Churn churn(store, traffic, soak);
    churn.start();
    const Counts counts = run(setup, *host, http, std::chrono::hours(soak.hours) + set_up);
    const double cpu = process_cpu_seconds() - churn.cpu_at_start();
    const std::vector<double>& rss = churn.rss();
    const std::vector<double> later(rss.begin() + static_cast<std::ptrdiff_t>(rss.size() / 2),
                                    rss.end());
    const double samples_per_day = std::chrono::duration<double>(24h) / sample_every;
    return {{"case", "soak"},
            {"nodes", soak.nodes},
            {"pods", traffic.running()},
            {"virtual_hours", soak.hours},
            {"cpu_seconds", cpu},
            {"cpu_seconds_set_up", churn.cpu_at_start()},
            {"hours_per_cpu_second", soak.hours / cpu},
            {"passes", counts.passes},
            {"pods_replaced", churn.replaced()},
            {"increases", counts.increases},
            {"nodes_added", traffic.later_nodes()},
            {"nodes_removed", traffic.removed_nodes()},
            {"pods_evicted", traffic.evicted()},
            {"rss_mb", peak_megabytes()},
            {"rss_mb_every_10_min", rounded(rss)},
            {"rss_mb_a_day", slope_of(later) * samples_per_day}};
}

}  // namespace capstan::bench
