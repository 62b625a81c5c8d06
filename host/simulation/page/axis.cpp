#include "simulation/page/axis.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "simulation/figures.hpp"

namespace capstan::simulation {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::array<Duration, 21> steps{
    seconds(1), seconds(2),  seconds(5),  seconds(10), seconds(30), minutes(1), minutes(2),
    minutes(5), minutes(10), minutes(15), minutes(30), hours(1),    hours(2),   hours(3),
    hours(6),   hours(12),   days(1),     days(2),     days(7),     days(14),   days(28)};

Duration time_step(Duration span, int most) {
    const Duration least = span / (most - 1);
    const auto fits = std::ranges::find_if(steps, [&](Duration step) { return step >= least; });
    if (fits != steps.end()) return *fits;
    Duration step = steps.back();
    while (step < least) step *= 2;
    return step;
}

}  // namespace

std::vector<TimeTick> time_ticks(Duration span, int most) {
    const Duration step = time_step(span, most);
    std::vector<TimeTick> out;
    for (Duration at{0}; at <= span; at += step) out.push_back({at, clock_text(at)});
    return out;
}

std::vector<std::int64_t> count_ticks(int largest, int most) {
    const std::int64_t wanted = std::max(largest, 1);
    for (std::int64_t power = 1;; power *= 10) {
        for (const std::int64_t step : {power, 2 * power, 5 * power}) {
            const std::int64_t count = (wanted + step - 1) / step;
            if (count > most) continue;
            std::vector<std::int64_t> out;
            for (std::int64_t i = 0; i <= count; ++i) out.push_back(i * step);
            return out;
        }
    }
}

}  // namespace capstan::simulation
