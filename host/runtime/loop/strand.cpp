#include "runtime/loop/strand.hpp"

#include <utility>

#include <boost/asio/post.hpp>

#include "runtime/loop/plugin_time.hpp"

namespace capstan::runtime {

namespace {

/// After so many functions other strands have their turn.
constexpr int functions_per_turn = 32;

Duration real_time() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

/// What waits in the io_context. Destroyed there without having run, it frees what was queued:
/// functions hold their instance, which holds the strand.
class Strand::Turn {
public:
    explicit Turn(std::shared_ptr<Strand> strand) : strand_(std::move(strand)) {}
    Turn(Turn&&) = default;
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
        if (strand_) strand_->drop_all(false);
    }
    void operator()() { std::exchange(strand_, nullptr)->take_turns(); }

private:
    std::shared_ptr<Strand> strand_;
};

void Strand::post(Function function) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    queue_.push_back(std::move(function));
    if (!std::exchange(scheduled_, true)) schedule();
}

void Strand::schedule() { boost::asio::post(io_, Turn(shared_from_this())); }

void Strand::take_turns() {
    for (int i = 0; i < functions_per_turn; ++i) {
        Function next;
        {
            const std::lock_guard lock(mutex_);
            if (queue_.empty()) {
                scheduled_ = false;
                return;
            }
            next = std::move(queue_.front());
            queue_.pop_front();
        }
        run(next);
    }
    const std::lock_guard lock(mutex_);
    if (!closed_) schedule();
}

void Strand::run(const Function& function) {
    const Duration begin = real_time();
    busy_since_.store(begin.count());
    runner_.store(std::this_thread::get_id());
    const Duration spent_before = PluginTime::spent();
    function();
    runner_.store({});
    busy_since_.store(0);
    const Duration took = PluginTime::spent() - spent_before;
    if (took > watchdog_.limit && watchdog_.report) watchdog_.report(took);
}

std::optional<Duration> Strand::busy_for() const {
    const Duration::rep since = busy_since_.load();
    if (since == 0) return std::nullopt;
    return real_time() - Duration(since);
}

void Strand::close() { drop_all(true); }

void Strand::drop_all(bool close) {
    std::deque<Function> dropped;  // freed after the lock, for that may come back here
    const std::lock_guard lock(mutex_);
    dropped.swap(queue_);
    closed_ = closed_ || close;
    scheduled_ = false;
}

}  // namespace capstan::runtime
