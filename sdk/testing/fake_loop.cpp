#include "fake_loop.hpp"

#include <algorithm>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {
constexpr int jobs_max = 100'000;
}  // namespace

Duration FakeLoop::now() const {
    const std::lock_guard lock(mutex_);
    return now_;
}

bool FakeLoop::is_stopping() const {
    const std::lock_guard lock(mutex_);
    return stopping_;
}

capstan_status FakeLoop::post(Job job) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return CAPSTAN_E_CANCELLED;
    ready_.push_back({std::move(job), CAPSTAN_OK, {}});
    return CAPSTAN_OK;
}

capstan_status FakeLoop::after(Duration delay, Job job, std::uint64_t* id) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return CAPSTAN_E_CANCELLED;
    const std::uint64_t timer = ++last_timer_;
    timers_.emplace(std::pair(now_ + std::max(delay, Duration::zero()), timer),
                    Timer{std::move(job)});
    if (id != nullptr) *id = timer;
    return CAPSTAN_OK;
}

capstan_status FakeLoop::blocking(std::function<void()> work, Job done) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return CAPSTAN_E_CANCELLED;
    ready_.push_back({std::move(done), CAPSTAN_OK, std::move(work)});
    return CAPSTAN_OK;
}

capstan_status FakeLoop::cancel(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(timers_.begin(), timers_.end(),
                                 [id](const auto& timer) { return timer.first.second == id; });
    if (at == timers_.end()) return CAPSTAN_E_NOT_FOUND;
    if (!at->second.is_hosts)
        ready_.push_back({std::move(at->second.job), CAPSTAN_E_CANCELLED, {}});
    timers_.erase(at);
    return CAPSTAN_OK;
}

std::uint64_t FakeLoop::at(Duration when, std::function<void()> run) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t timer = ++last_timer_;
    Job job = [run = std::move(run)](capstan_status) { run(); };
    timers_.emplace(std::pair(when, timer), Timer{std::move(job), true});
    return timer;
}

std::optional<FakeLoop::Ready> FakeLoop::take() {
    const std::lock_guard lock(mutex_);
    take_due_timers();
    if (ready_.empty()) return std::nullopt;
    Ready ready = std::move(ready_.front());
    ready_.pop_front();
    return ready;
}

void FakeLoop::take_due_timers() {
    while (!timers_.empty() && timers_.begin()->first.first <= now_) {
        ready_.push_back({std::move(timers_.begin()->second.job), CAPSTAN_OK, {}});
        timers_.erase(timers_.begin());
    }
}

bool FakeLoop::run() {
    for (int i = 0; i < jobs_max; ++i) {
        // Called without the lock: a job asks for the next one.
        const std::optional<Ready> ready = take();
        if (!ready) return true;
        if (ready->work && ready->status == CAPSTAN_OK) ready->work();
        ready->job(ready->status);
    }
    return false;
}

std::optional<Duration> FakeLoop::next_timer() const {
    const std::lock_guard lock(mutex_);
    return timers_.empty() ? std::nullopt : std::optional(timers_.begin()->first.first);
}

bool FakeLoop::step(Duration by) {
    const std::optional<Duration> next = next_timer();
    if (!next || *next > now() + by) return false;
    {
        const std::lock_guard lock(mutex_);
        now_ = std::max(now_, *next);
    }
    return run();
}

bool FakeLoop::advance(Duration by) {
    const Duration until = now() + by;
    if (!run()) return false;
    for (int i = 0; i < jobs_max; ++i) {
        const std::optional<Duration> next = next_timer();
        if (!next || *next > until) {
            const std::lock_guard lock(mutex_);
            now_ = until;
            return true;
        }
        if (!step(until - now())) return false;
    }
    return false;
}

void FakeLoop::stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Ready& ready : ready_) ready.status = CAPSTAN_E_CANCELLED;
    for (auto at = timers_.begin(); at != timers_.end();) {
        if (at->second.is_hosts) {
            ++at;
            continue;
        }
        ready_.push_back({std::move(at->second.job), CAPSTAN_E_CANCELLED, {}});
        at = timers_.erase(at);
    }
}

void FakeLoop::restart() {
    const std::lock_guard lock(mutex_);
    stopping_ = false;
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
