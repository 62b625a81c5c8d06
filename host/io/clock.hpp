/// Clocks and random numbers that are injected into the runtime: the machine's, or a simulation's.
///
///     monotonic  deadlines and timers
///     now        times that this process records and compares: how long ago was it?
///     wall       times that other programs write or read: timestamps of objects, tokens, log lines
///
/// The age of another program's timestamp is taken from `wall`, any other age from `now` or
/// `monotonic`: those do not jump when the machine's clock is set.
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
    /// Never steps back. Its zero point has no meaning.
    virtual Duration monotonic() const = 0;
    /// `wall` at the process's first call, plus the time since then. Never jumps, and counts the
    /// time in which the machine sleeps.
    virtual Time now() const = 0;
    /// The machine's clock, which jumps when it is set.
    virtual Time wall() const = 0;
};

/// All objects of a process give the same times.
class SystemClock final : public Clock {
public:
    Duration monotonic() const override;
    Time now() const override;
    Time wall() const override;
};

/// Moves only by advance_to().
class ManualClock final : public Clock {
public:
    explicit ManualClock(Time start = Time{}) noexcept : start_(start) {}
    Duration monotonic() const override { return Duration(elapsed_.load()) + first_moment; }
    Time now() const override { return start_ + Duration(elapsed_.load()); }
    Time wall() const override { return now() + Duration(ahead_.load()); }
    /// No effect if monotonic() has reached `monotonic` already. One thread at a time.
    void advance_to(Duration monotonic) noexcept;
    /// Sets the wall clock forward, or back if `by` is negative. One thread at a time.
    void step_wall(Duration by) noexcept { ahead_.store(ahead_.load() + by.count()); }

private:
    /// Not zero, because a deadline of zero means "none" in the plugin ABI.
    static constexpr Duration first_moment = std::chrono::seconds(1);
    const Time start_;
    std::atomic<Duration::rep> elapsed_{0};
    std::atomic<Duration::rep> ahead_{0};  ///< wall() minus now()
};

/// Random numbers for jitter and idempotency keys, not for cryptography. Equal seeds give equal
/// numbers. [any thread]
class RandomSource {
public:
    explicit RandomSource(std::uint64_t seed) noexcept : state_(seed) {}
    std::uint64_t next() noexcept;

private:
    std::atomic<std::uint64_t> state_;
};

/// A seed for `name` derived from the run's seed, so that one instance's numbers do not depend on
/// another's.
std::uint64_t seed_for(std::uint64_t run_seed, std::string_view name) noexcept;

}  // namespace capstan::io
