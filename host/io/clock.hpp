/// Time and chance as the runtime is given them: the machine's own, or a simulation's.
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
    virtual Time now() const = 0;
};

class SystemClock final : public Clock {
public:
    Duration monotonic() const override;
    Time now() const override;
};

/// Stands still until it is moved.
class ManualClock final : public Clock {
public:
    explicit ManualClock(Time start = Time{}) noexcept : start_(start) {}
    Duration monotonic() const override { return Duration(elapsed_.load()) + first_moment; }
    Time now() const override { return start_ + Duration(elapsed_.load()); }
    /// A point that has passed leaves the clock where it is. One thread at a time.
    void advance_to(Duration monotonic) noexcept;

private:
    /// Not zero, for a deadline of zero means "none" at the boundary.
    static constexpr Duration first_moment = std::chrono::seconds(1);
    const Time start_;
    std::atomic<Duration::rep> elapsed_{0};
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
