#include "io/clock.hpp"

#include <chrono>
#include <ctime>

namespace capstan::io {

namespace {

/// One step of SplitMix64 (Steele, Lea, Flood 2014): every state gives another number, and
/// neighbours look unrelated.
std::uint64_t mix(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// The time since the machine's boot, sleep included.
Duration since_boot() {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Time shown_by_machine() {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15u;

}  // namespace

Duration SystemClock::monotonic() const {
    return std::chrono::steady_clock::now().time_since_epoch();
}

Time SystemClock::now() const {
    static const Time booted = shown_by_machine() - since_boot();
    return booted + since_boot();
}

Time SystemClock::wall() const { return shown_by_machine(); }

void ManualClock::advance_to(Duration monotonic) noexcept {
    const Duration::rep elapsed = (monotonic - first_moment).count();
    if (elapsed > elapsed_.load()) elapsed_.store(elapsed);
}

std::uint64_t RandomSource::next() noexcept {
    return mix(state_.fetch_add(golden_gamma) + golden_gamma);
}

std::uint64_t seed_for(std::uint64_t run_seed, std::string_view name) noexcept {
    std::uint64_t seed = mix(run_seed + golden_gamma);
    for (const char c : name) seed = mix(seed ^ static_cast<unsigned char>(c));
    return seed;
}

}  // namespace capstan::io
