#include "bad_day.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>

namespace capstan::clouds {
namespace {

using e2e::becomes;
using std::chrono::steady_clock;

std::chrono::seconds length_of(const BadDay& day) {
    const char* const wanted = std::getenv(day.variable);
    return std::chrono::seconds(wanted == nullptr ? 120 : std::atoi(wanted));
}

/// Of the time between the starts of passes.
struct Intervals {
    double all = 0, late = 0;  ///< late: longer than 1.1 of 5 s
};

double metric(const std::string& text, const std::string& name) {
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

Intervals intervals_of(CloudStory& story) {
    const std::string metrics = story.daemon().admin().answer("/metrics").body;
    const std::string name = "capstan_pass_interval_seconds";
    const double all = metric(metrics, name + "_count");
    return {.all = all, .late = all - metric(metrics, name + "_bucket{le=\"5.5\"}")};
}

/// How many there are at each moment of the day.
int pods_at(std::chrono::seconds since, std::chrono::seconds length) {
    const auto part = since * 10 / length;
    return static_cast<int>(part < 6 ? 1 + part : 12 - part);
}

void expect_punctual(const Intervals& before, const Intervals& after, std::chrono::seconds length) {
    const double all = after.all - before.all, late = after.late - before.late;
    ::testing::Test::RecordProperty("intervals", static_cast<int>(all));
    ::testing::Test::RecordProperty("late", static_cast<int>(late));
    EXPECT_GE(all * 5.5, 0.8 * static_cast<double>(length.count()));
    EXPECT_LE(late, std::ceil(all / 100))
        << "of " << all << " intervals are longer than 1.1 of 5 s";
}

/// The pods of the day, to its end.
void let_pass(CloudStory& story, const BadDay& day, std::chrono::seconds length) {
    const auto begun = steady_clock::now();
    int most = 1;  // the most pods that there were so far
    while (steady_clock::now() - begun < length) {
        const auto since =
            std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - begun);
        story.scale(pods_at(since, length));
        most = std::max(most, pods_at(since, length));
        EXPECT_LE(day.wanted(), most) << "no machine too many";
        ASSERT_TRUE(story.daemon().process().is_running());
        std::this_thread::sleep_for(500ms);
    }
}

}  // namespace

void live_through(CloudStory& story, const BadDay& day) {
    CloudServer& server = *story.parts().front().server;
    const std::chrono::seconds length = length_of(day);
    server.strike(day.rules);
    story.run();
    ASSERT_TRUE(becomes(90s, [&] { return story.has_ready_pods(1); }));
    const Intervals before = intervals_of(story);
    let_pass(story, day, length);
    if (::testing::Test::HasFatalFailure()) return;
    expect_punctual(before, intervals_of(story), length);
    EXPECT_THAT(server.hits(), ::testing::Each(::testing::Gt(0))) << "each fault has struck";
    server.strike({});
    story.scale(3);
    EXPECT_TRUE(becomes(60s, [&] { return story.has_ready_pods(3); })) << "a better day";
    // A removal whose answer was lost is asked for again after two minutes.
    EXPECT_TRUE(becomes(180s, [&] { return day.wanted() == 3; }));
}

}  // namespace capstan::clouds
