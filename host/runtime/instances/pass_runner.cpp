#include "runtime/instances/pass_runner.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>

namespace capstan::runtime::instances::detail {

namespace {

/// One run of the pass, owned by its thread and by the one that waits for it: the last of them
/// frees it.
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

    /// Once it has ended, if it was not abandoned.
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

/// Until the pass has ended, or a hook of it is overdue.
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
    // Ends: each further round has one hook less to wait for.
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

}  // namespace capstan::runtime::instances::detail
