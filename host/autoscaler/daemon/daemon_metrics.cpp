#include "autoscaler/daemon/daemon_metrics.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

namespace capstan::autoscaler::daemon {
namespace {

/// As upstream has it: seconds since 1970, without their fraction.
double whole_seconds(Time time) {
    const std::int64_t seconds = unix_ns(time) / 1'000'000'000;
    return static_cast<double>(seconds);
}

double seconds_of(Duration length) { return std::chrono::duration<double>(length).count(); }

const prometheus::Histogram::BucketBoundaries& function_buckets() {
    static const auto buckets = pass_metrics::growing_buckets(0.1, 1800, 150);
    return buckets;
}

/// Scan intervals that are usual, and a tenth more of each.
const prometheus::Histogram::BucketBoundaries interval_buckets{
    0.5, 1, 1.1, 2, 2.2, 5, 5.5, 10, 11, 15, 16.5, 20, 22, 30, 33, 60, 66, 120, 300, 600};
const prometheus::Histogram::BucketBoundaries request_buckets{0.005, 0.025, 0.1, 0.25, 0.5, 1,
                                                              2,     4,     8,   15,   30,  60};

/// From a pass that begins at once to one that comes after every back-off.
const prometheus::Histogram::BucketBoundaries wait_buckets{0.5, 1,  2,   5,   10,  15,   20,
                                                           30,  60, 120, 300, 600, 1800, 3600};

/// Fields of /proc/self/stat from the third on; the second may have blanks in it.
std::vector<std::string> stat_fields() {
    std::ifstream file("/proc/self/stat");
    std::string line;
    std::getline(file, line);
    std::istringstream rest(line.substr(std::min(line.size(), line.rfind(')') + 1)));
    std::vector<std::string> out;
    for (std::string field; rest >> field;) out.push_back(field);
    return out;
}

double number_at(const std::vector<std::string>& fields, std::size_t at) {
    return at < fields.size() ? std::strtod(fields[at].c_str(), nullptr) : 0;
}

double boot_time() {
    std::ifstream file("/proc/stat");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("btime ")) return std::strtod(line.c_str() + 6, nullptr);
    return 0;
}

double count_open_files() {
    std::error_code error;
    double count = 0;
    for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
         at.increment(error))
        ++count;
    return count;
}

const char* function_of(engine::PassPhase part) {
    switch (part) {
        case engine::PassPhase::remember: return "updateClusterState";
        case engine::PassPhase::find_pending: return "scaleUp:buildPodEquivalenceGroups";
        case engine::PassPhase::place_pending: return "filterOutSchedulable";
        case engine::PassPhase::scale_up: return "scaleUp";
        case engine::PassPhase::make_options: return "scaleUp:estimate";
        case engine::PassPhase::explain: return "scaleUp:skippedNodeGroupsSimulation";
        case engine::PassPhase::find_unneeded: return "findUnneeded";
        case engine::PassPhase::scale_down: return "scaleDown";
    }
    return "other";
}

}  // namespace

DaemonMetrics::DaemonMetrics(prometheus::Registry& registry)
    : registry_(registry),
      intervals_(pass_metrics::histograms(registry, "capstan_pass_interval_seconds",
                                          "Time between the starts of two passes. Values above the "
                                          "scan interval show delayed passes.")
                     .Add({}, interval_buckets)),
      pod_waits_(pass_metrics::histograms(registry, "capstan_pod_unschedulable_to_scale_up_seconds",
                                          "Time from the moment a pod became unschedulable until "
                                          "machines were requested for it, once for each pod.")
                     .Add({}, wait_buckets)) {
    for (const char* type :
         {"cloudProviderError", "apiCallError", "internalError", "transientError",
          "configurationError", "nodeGroupDoesNotExistError", "unexpectedScaleDownStateError"})
        errors_.Add({{"type", type}});
}

void DaemonMetrics::took(std::string_view function, Duration length) {
    const Timing& timing = timing_of(function);
    timing.durations->Observe(seconds_of(length));
    timing.quantiles->Observe(seconds_of(length));
}

// A family makes a series before it finds that it has it.
DaemonMetrics::Timing& DaemonMetrics::timing_of(std::string_view function) {
    const auto known = timings_.find(function);
    if (known != timings_.end()) return known->second;
    const std::string name(function);
    const prometheus::Labels labels{{"function", name}};
    prometheus::Histogram& durations = durations_.Add(labels, function_buckets());
    prometheus::Summary& quantiles = quantiles_.Add(
        labels, prometheus::Summary::Quantiles{{0.5, 0.05}, {0.9, 0.01}, {0.99, 0.001}},
        std::chrono::hours(1));
    return timings_.emplace(name, Timing{&durations, &quantiles}).first->second;
}

void DaemonMetrics::pass_began(Time now, Duration monotonic) {
    last_activity_.Add({{"activity", "main"}}).Set(whole_seconds(now));
    if (began_) intervals_.Observe(seconds_of(monotonic - *began_));
    began_ = monotonic;
}

void DaemonMetrics::observe(const PassReport& pass, const engine::health::Health& health) {
    const engine::Decision& decision = pass.decision();
    const auto did = [&](const char* activity) {
        last_activity_.Add({{"activity", activity}}).Set(whole_seconds(pass.wall_at()));
    };
    did("mainSuccessful");
    did("autoscaling");
    if (!decision.increases.empty()) did("scaleUp");
    if (!decision.removals.empty()) did("scaleDown");
    took("main", pass.times.total);
    took("mainSuccessful", pass.times.total);
    took("cloudProviderRefresh", pass.times.refresh);
    observe_clouds(pass);
    took_parts(pass);
    took("decide", pass.times.decide);
    took("carryOut", pass.times.carry_out);
    for (std::size_t i = 0; i < pass.problems.size(); ++i)
        errors_.Add({{"type", "cloudProviderError"}}).Increment();
    passes_.observe(pass, health);
}

void DaemonMetrics::observe_clouds(const PassReport& pass) {
    pass_metrics::GaugeSeries::Values statuses, answers;
    for (const CloudState& cloud : pass.clouds) {
        statuses[{cloud.cloud.value(), std::string(name_of(cloud.status))}] = 1;
        if (cloud.answered) answers[{cloud.cloud.value(), ""}] = whole_seconds(*cloud.answered);
    }
    cloud_status_.replace(statuses);
    cloud_answers_.replace(answers);
    groups_under_way_.Set(static_cast<double>(pass.under_way.size()));
    late_actions_.Increment(static_cast<double>(pass.ended.size()));
}

/// By upstream's names. What it does in several places is added up.
void DaemonMetrics::took_parts(const PassReport& pass) {
    using engine::PassPhase;
    std::map<PassPhase, Duration> times = pass.result.part_times;
    times[PassPhase::remember] += pass.times.look;
    for (const auto& [part, length] : times) took(function_of(part), length);
    if (pass.times.soft_taints) took("scaleDown:softTaintUnneeded", *pass.times.soft_taints);
}

void DaemonMetrics::pass_skipped(Time now) {
    for (const char* activity : {"mainSuccessful", "autoscaling"})
        last_activity_.Add({{"activity", activity}}).Set(whole_seconds(now));
    skipped_.Increment();
}

void DaemonMetrics::waited(Duration length) { took("loopWait", length); }

void DaemonMetrics::reconfigured(Duration length) { took("reconfigure", length); }

void DaemonMetrics::pass_failed(const std::string& type, Duration length) {
    took("main", length);
    errors_.Add({{"type", type}}).Increment();
}

void DaemonMetrics::count_request(const kubernetes::client::ApiAttempt& attempt) {
    const RequestSeries& series = series_of(attempt);
    series.count->Increment();
    series.latencies->Observe(seconds_of(attempt.latency));
    series.waits->Observe(seconds_of(attempt.waited));
}

DaemonMetrics::RequestSeries& DaemonMetrics::series_of(
    const kubernetes::client::ApiAttempt& attempt) {
    const std::string method(attempt.method), host(attempt.host);
    const auto [at, is_new] = request_series_.try_emplace({method, host, attempt.status});
    if (!is_new) return at->second;
    const std::string code = attempt.status > 0 ? std::to_string(attempt.status) : "<error>";
    const prometheus::Labels labels{{"verb", method}, {"host", host}};
    at->second = {.count = &requests_.Add({{"code", code}, {"method", method}, {"host", host}}),
                  .latencies = &request_durations_.Add(labels, request_buckets),
                  .waits = &request_waits_.Add(labels, request_buckets)};
    return at->second;
}

void DaemonMetrics::introduce(const std::string& version, const std::string& cluster) {
    info_.Add({{"version", version}, {"cluster", cluster}}).Set(1);
}

void DaemonMetrics::set_leader(bool is_leader) { leader_.Set(is_leader ? 1 : 0); }

void DaemonMetrics::set_memory_unwritten(bool is_unwritten) {
    memory_unwritten_.Set(is_unwritten ? 1 : 0);
}

void DaemonMetrics::set_config(bool is_in_force, Time taken_over) {
    config_in_force_.Set(is_in_force ? 1 : 0);
    config_taken_over_.Set(whole_seconds(taken_over));
}

void DaemonMetrics::ordered_for_pod(Duration after) {
    // The server's clock and this host's differ a little.
    pod_waits_.Observe(std::max(0.0, seconds_of(after)));
}

void DaemonMetrics::set_events(const kubernetes::client::EventRecorder::Counts& counts,
                               std::uint64_t unreported) {
    const auto raise = [](prometheus::Counter& counter, std::uint64_t to) {
        counter.Increment(std::max(0.0, static_cast<double>(to) - counter.Value()));
    };
    const std::pair<const char*, std::uint64_t> results[] = {
        {"recorded", counts.recorded},       {"too_soon", counts.too_soon},
        {"over_budget", counts.over_budget}, {"queue_full", counts.queue_full},
        {"refused", counts.refused},         {"given_up", counts.given_up}};
    for (const auto& [result, count] : results) raise(events_.Add({{"result", result}}), count);
    raise(unreported_, unreported);
}

void DaemonMetrics::look_at_process() {
    const std::vector<std::string> stat = stat_fields();
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    // As proc(5) numbers them: utime 14, stime 15, num_threads 20, starttime 22, vsize 23, rss 24.
    const double cpu = (number_at(stat, 11) + number_at(stat, 12)) / ticks;
    cpu_.Increment(std::max(0.0, cpu - cpu_.Value()));
    threads_.Set(number_at(stat, 17));
    start_.Set(boot_time() + number_at(stat, 19) / ticks);
    virtual_.Set(number_at(stat, 20));
    resident_.Set(number_at(stat, 21) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
    open_files_.Set(count_open_files());
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
        max_files_.Set(static_cast<double>(limit.rlim_cur));
}

}  // namespace capstan::autoscaler::daemon
