#include "runtime/instances/pass_runner.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace capstan::runtime::detail {

namespace {

/// One run of the pass, owned by its thread and by the one that waits for it: whoever is last frees
/// it.
class Attempt {
public:
    Attempt(ErasedPass pass, std::vector<HookMiss> known)
        : pass_(std::move(pass)), watch_(std::move(known)) {}

    PassWatch& watch() noexcept { return watch_; }

    /// [pass thread]
    void run() noexcept {
        std::shared_ptr<void> result;
        std::exception_ptr thrown;
        try {
            result = pass_(watch_);
        } catch (const AbandonedPass&) {
            return;
        } catch (...) {
            thrown = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        result_ = std::move(result);
        thrown_ = std::move(thrown);
        has_ended_ = true;
        changed_.notify_all();
    }

    /// Until the pass has ended, or a hook of it is overdue.
    std::optional<PassWatch::Overdue> wait() {
        std::unique_lock lock(mutex_);
        while (!has_ended_) {
            const auto now = std::chrono::steady_clock::now();
            if (const auto overdue = watch_.find_overdue(now)) return overdue;
            changed_.wait_until(lock, watch_.next_look(now));
        }
        return std::nullopt;
    }

    /// After `wait` found nothing overdue.
    std::shared_ptr<void> take_result() {
        const std::lock_guard lock(mutex_);
        if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
        return std::move(result_);
    }

private:
    const ErasedPass pass_;
    PassWatch watch_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool has_ended_ = false;
    std::shared_ptr<void> result_;
    std::exception_ptr thrown_;
};

}  // namespace

ErasedResult run_watched(const ErasedPass& pass, std::vector<HookMiss> known) {
    // Ends: each further round has one instance less to wait for.
    for (int reruns = 0;; ++reruns) {
        const auto attempt = std::make_shared<Attempt>(pass, known);
        std::thread thread([attempt] { attempt->run(); });
        const std::optional<PassWatch::Overdue> overdue = attempt->wait();
        if (!overdue) {
            thread.join();
            return {attempt->take_result(), attempt->watch().misses(), reruns};
        }
        thread.detach();
        overdue->instance->quarantine(overdue->hook);
        known = attempt->watch().misses();
        known.push_back({overdue->instance->context().identity().id, overdue->hook});
    }
}

}  // namespace capstan::runtime::detail
