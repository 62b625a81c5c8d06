#include "pass_timing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>

namespace capstan::clouds {
namespace {

using e2e::becomes;
using std::chrono::steady_clock;

std::chrono::seconds length_of(const PassTimingOptions& options) {
    const char* const wanted = std::getenv(options.variable);
    return std::chrono::seconds(wanted == nullptr ? 120 : std::atoi(wanted));
}

/// Times between the starts of passes.
struct Intervals {
    double all = 0, late = 0;  ///< late: longer than 5.5 s, 1.1 times the scan interval
};

double metric(const std::string& text, const std::string& name) {
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

Intervals intervals_of(CloudScenario& scenario) {
    const std::string metrics = scenario.daemon().admin().answer("/metrics").body;
    const std::string name = "capstan_pass_interval_seconds";
    const double all = metric(metrics, name + "_count");
    return {.all = all, .late = all - metric(metrics, name + "_bucket{le=\"5.5\"}")};
}

/// The number of pods at a time since the start: it grows from 1 to 6 and shrinks again.
int pods_at(std::chrono::seconds since, std::chrono::seconds length) {
    const auto part = since * 10 / length;
    return static_cast<int>(part < 6 ? 1 + part : 12 - part);
}

void expect_on_time(const Intervals& before, const Intervals& after, std::chrono::seconds length) {
    const double all = after.all - before.all, late = after.late - before.late;
    ::testing::Test::RecordProperty("intervals", static_cast<int>(all));
    ::testing::Test::RecordProperty("late", static_cast<int>(late));
    EXPECT_GE(all * 5.5, 0.8 * static_cast<double>(length.count()));
    EXPECT_LE(late, std::ceil(all / 100)) << "of " << all << " intervals are longer than 5.5 s";
}

/// Changes the number of pods until `length` has passed.
void vary_pods(CloudScenario& scenario, const PassTimingOptions& options,
               std::chrono::seconds length) {
    const auto begun = steady_clock::now();
    int most = 1;  // the highest number of pods so far
    while (steady_clock::now() - begun < length) {
        const auto since =
            std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - begun);
        scenario.scale(pods_at(since, length));
        most = std::max(most, pods_at(since, length));
        EXPECT_LE(options.wanted(), most) << "no extra machine";
        ASSERT_TRUE(scenario.daemon().process().is_running());
        std::this_thread::sleep_for(500ms);
    }
}

}  // namespace

void check_pass_timing(CloudScenario& scenario, const PassTimingOptions& options) {
    CloudServer& server = *scenario.parts().front().server;
    const std::chrono::seconds length = length_of(options);
    server.set_faults(options.rules);
    scenario.run();
    ASSERT_TRUE(becomes(90s, [&] { return scenario.has_ready_pods(1); }));
    const Intervals before = intervals_of(scenario);
    vary_pods(scenario, options, length);
    if (::testing::Test::HasFatalFailure()) return;
    expect_on_time(before, intervals_of(scenario), length);
    EXPECT_THAT(server.fault_counts(), ::testing::Each(::testing::Gt(0)))
        << "each fault was injected";
    server.set_faults({});
    scenario.scale(3);
    // An increase with unknown outcome counts for two minutes.
    EXPECT_TRUE(becomes(150s, [&] { return scenario.has_ready_pods(3); })) << "without faults";
    // A removal whose response was lost is retried after two minutes.
    EXPECT_TRUE(becomes(180s, [&] { return options.wanted() == 3; }));
}

}  // namespace capstan::clouds
