/// Time and chance as the runtime is given them: the machine's own, or a simulation's.
///
///     monotonic  deadlines and timers
///     now        moments that this process notes and reads again: how long ago was it?
///     wall       what others wrote or are to read: timestamps of objects, tokens, log lines
///
/// An age of what others wrote is taken from `wall`, any other from `now` or `monotonic`: when the
/// machine's clock is set forward or back, nothing that was noted becomes older or younger.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include <capstan/time.hpp>

namespace capstan::io {

/// [any thread]
class Clock {
public:
    virtual ~Clock() = default;
    /// Never steps back; the clock of deadlines and timers. Its zero means nothing.
    virtual Duration monotonic() const = 0;
    /// `wall` as it was when the process first asked for it, and the time since then. It goes on
    /// evenly, also while the machine sleeps, whatever the machine's clock is set to.
    virtual Time now() const = 0;
    /// What the machine's clock shows. It steps when it is set.
    virtual Time wall() const = 0;
};

/// All of a process tell the same.
class SystemClock final : public Clock {
public:
    Duration monotonic() const override;
    Time now() const override;
    Time wall() const override;
};

/// Stands still until it is moved.
class ManualClock final : public Clock {
public:
    explicit ManualClock(Time start = Time{}) noexcept : start_(start) {}
    Duration monotonic() const override { return Duration(elapsed_.load()) + first_moment; }
    Time now() const override { return start_ + Duration(elapsed_.load()); }
    Time wall() const override { return now() + Duration(ahead_.load()); }
    /// A point that has passed leaves the clock where it is. One thread at a time.
    void advance_to(Duration monotonic) noexcept;
    /// Sets the wall clock forward, or back where `by` is negative. One thread at a time.
    void step_wall(Duration by) noexcept { ahead_.store(ahead_.load() + by.count()); }

private:
    /// Not zero, for a deadline of zero means "none" at the boundary.
    static constexpr Duration first_moment = std::chrono::seconds(1);
    const Time start_;
    std::atomic<Duration::rep> elapsed_{0};
    std::atomic<Duration::rep> ahead_{0};  ///< of `wall` before `now`
};

/// Random numbers that an equal seed repeats, for jitter and idempotency keys, not for
/// cryptography. [any thread]
class RandomSource {
public:
    explicit RandomSource(std::uint64_t seed) noexcept : state_(seed) {}
    std::uint64_t next() noexcept;

private:
    std::atomic<std::uint64_t> state_;
};

/// The part of a run's seed that belongs to `name`, so that one instance's numbers do not depend on
/// another's.
std::uint64_t seed_for(std::uint64_t run_seed, std::string_view name) noexcept;

}  // namespace capstan::io
