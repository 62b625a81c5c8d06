#include "plugin_runtime/instances/pass_runner.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace capstan::plugin_runtime::instances::detail {

namespace {

/// One run of the pass. Its thread and the waiting thread share it.
class Attempt {
public:
    Attempt(ErasedPass pass, std::vector<SkippedHook> known)
        : pass_(std::move(pass)), watch_(std::move(known)) {}

    PassWatch& watch() noexcept { return watch_; }

    /// [pass thread]
    void run() noexcept {
        try {
            result_ = pass_(watch_);
        } catch (const AbandonedPass&) {
            return;
        } catch (...) {
            thrown_ = std::current_exception();
        }
    }

    /// To be called once the run has ended and was not abandoned.
    std::shared_ptr<void> take_result() {
        if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
        return std::move(result_);
    }

private:
    const ErasedPass pass_;
    PassWatch watch_;
    std::shared_ptr<void> result_;
    std::exception_ptr thrown_;
};

/// Waits until the run has ended. The answer: the hook that is overdue; absent: the run has ended.
std::optional<SkippedHook> wait(PassThread& thread, PassWatch& watch) {
    const auto now = [] { return std::chrono::steady_clock::now(); };
    while (!thread.wait(watch.next_look(now()))) {
        watch.serve();
        if (auto overdue = watch.find_overdue(now())) return overdue;
    }
    return std::nullopt;
}

}  // namespace

ErasedResult run_watched(PassThread& thread, const ErasedPass& pass,
                         std::vector<SkippedHook> known) {
    // The loop ends: each further run skips one hook more.
    for (int reruns = 0;; ++reruns) {
        const auto attempt = std::make_shared<Attempt>(pass, known);
        thread.start([attempt] { attempt->run(); });
        std::optional<SkippedHook> overdue = wait(thread, attempt->watch());
        if (!overdue) return {attempt->take_result(), attempt->watch().skipped_hooks(), reruns};
        thread.abandon();
        for (SkippedHook& miss : attempt->watch().skipped_hooks()) {
            const auto is_same = [&](const SkippedHook& m) {
                return m.instance == miss.instance && m.hook == miss.hook;
            };
            if (std::ranges::none_of(known, is_same)) known.push_back(std::move(miss));
        }
        known.push_back(*std::move(overdue));
    }
}

}  // namespace capstan::plugin_runtime::instances::detail

namespace capstan::plugin_runtime::instances {

/// The worker thread and its task. Owned by both threads.
struct PassThread::Worker {
    std::mutex mutex{};
    std::condition_variable changed{};
    Task task{};  ///< empty: nothing is to be begun
    bool is_busy = false, is_closed = false;
    std::thread thread{};

    void work() {
        std::unique_lock lock(mutex);
        for (;;) {
            changed.wait(lock, [this] { return task || is_closed; });
            if (!task) return;
            Task current = std::exchange(task, nullptr);
            lock.unlock();
            current();
            // What it owns is destroyed before its end is reported.
            current = nullptr;
            lock.lock();
            is_busy = false;
            changed.notify_all();
        }
    }
    void close() {
        const std::lock_guard lock(mutex);
        is_closed = true;
        changed.notify_all();
    }
};

PassThread::~PassThread() {
    if (!worker_) return;
    worker_->close();
    worker_->thread.join();
}

void PassThread::start(Task task) {
    if (worker_ == nullptr) {
        const auto worker = std::make_shared<Worker>();
        worker->thread = std::thread([worker] { worker->work(); });
        worker_ = worker;  // only now: the constructor of the thread may throw
    }
    const std::lock_guard lock(worker_->mutex);
    worker_->task = std::move(task);
    worker_->is_busy = true;
    worker_->changed.notify_all();
}

bool PassThread::wait(RealTime until) {
    std::unique_lock lock(worker_->mutex);
    return worker_->changed.wait_until(lock, until, [this] { return !worker_->is_busy; });
}

void PassThread::abandon() {
    worker_->thread.detach();
    std::exchange(worker_, nullptr)->close();
}

}  // namespace capstan::plugin_runtime::instances
