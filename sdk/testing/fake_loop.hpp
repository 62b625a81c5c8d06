/// The strand, the timers and the blocking pool of a fake host, on a clock that only moves when
/// told to.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <capstan/abi/error.h>
#include <capstan/time.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// New work may come from any thread; it runs on the one that calls run, advance or stop. What is
/// due at the same time runs in the order it was asked for.
class FakeLoop {
public:
    using Job = std::function<void(capstan_status)>;
    /// A host that has just started is not a special case.
    static constexpr Duration begin = std::chrono::hours(1);

    Duration now() const;
    bool is_stopping() const;

    /// CAPSTAN_E_CANCELLED once stopping; then `job` is never called. An accepted one is called
    /// exactly once.
    capstan_status post(Job job);
    capstan_status after(Duration delay, Job job, std::uint64_t* id = nullptr);
    capstan_status blocking(std::function<void()> work, Job done);
    /// CAPSTAN_E_NOT_FOUND: it has fired, or there is none.
    capstan_status cancel(std::uint64_t id);

    /// The host's own timer, such as a deadline: `stop` leaves it alone.
    std::uint64_t at(Duration when, std::function<void()> run);

    /// All that can run without time passing. False after 100,000 jobs: work that posts itself for
    /// ever.
    bool run();
    /// As `run`, again and again, while `by` passes. Stops early at work without end.
    bool advance(Duration by);
    /// Lets time jump to the next timer that is due within `by` and runs it. False: there is none.
    bool step(Duration by);

    /// From here on new work is refused; what is outstanding comes back with CAPSTAN_E_CANCELLED in
    /// the next run.
    void stop();
    /// Takes new work again, for the next instance.
    void restart();

private:
    struct Timer {
        Job job;
        bool is_hosts = false;
    };
    using Timers = std::map<std::pair<Duration, std::uint64_t>, Timer>;
    struct Ready {
        Job job;
        capstan_status status = CAPSTAN_OK;
        std::function<void()> work{};  ///< runs before `job`, unless cancelled
    };

    std::optional<Ready> take();
    void take_due_timers();
    std::optional<Duration> next_timer() const;

    mutable std::mutex mutex_;
    Duration now_ = begin;
    bool stopping_ = false;
    std::deque<Ready> ready_;
    Timers timers_;
    std::uint64_t last_timer_ = 0;
};

}  // namespace testing
CAPSTAN_NAMESPACE_END
