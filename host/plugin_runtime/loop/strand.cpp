#include "plugin_runtime/loop/strand.hpp"

#include <system_error>
#include <utility>

#include <boost/asio/post.hpp>

#include "plugin_runtime/loop/plugin_time.hpp"

namespace capstan::plugin_runtime::loop {

namespace {

/// The most functions of one turn, so that other strands get theirs.
constexpr int functions_per_turn = 32;

}  // namespace

/// The handler in the io_context. When it is destroyed there without having run, it drops the
/// queue: queued functions own their instance, which owns the strand.
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

Strand::Strand(boost::asio::io_context& io, Options options)
    : io_(io),
      watchdog_(std::move(options.watchdog)),
      calls_(options.calls ? std::move(options.calls)
                           : std::make_shared<CallWatch>(CallWatch::Options{})),
      has_thread_(options.has_thread) {}

void Strand::post(Function function) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    queue_.push_back(std::move(function));
    if (!std::exchange(scheduled_, true)) schedule();
}

void Strand::dispatch(Function function) {
    if (is_here()) return function();
    post(std::move(function));
}

void Strand::post_to_host(Function function) {
    if (!has_thread_) return post(std::move(function));
    // Under the lock, so that after `close` no thread is on its way into the loop.
    const std::lock_guard lock(mutex_);
    if (!closed_) boost::asio::post(io_, std::move(function));
}

void Strand::dispatch_to_host(Function function) {
    if (!has_thread_) return function();
    post_to_host(std::move(function));
}

std::optional<HeldCall> Strand::stuck() const {
    return has_thread_ ? calls_->stuck() : std::nullopt;
}

/// At most one turn waits or runs at a time.
void Strand::schedule() {
    if (!has_thread_) return boost::asio::post(io_, Turn(shared_from_this()));
    const auto turn = std::make_shared<Turn>(shared_from_this());
    bool is_taken = false;
    try {
        is_taken = thread_.submit([turn] { (*turn)(); });
    } catch (const std::system_error&) {  // no thread is to be had
    }
    if (!is_taken) boost::asio::post(io_, [turn] { (*turn)(); });
}

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
        // A thread that ended inside, as by pthread_exit, would leave an instance without
        // calls.
        [&]() noexcept { run(next); }();
    }
    const std::lock_guard lock(mutex_);
    if (!closed_) schedule();
}

void Strand::run(const Function& function) {
    runner_.store(std::this_thread::get_id());
    const Duration spent_before = PluginTime::spent();
    function();
    runner_.store({});
    const Duration took = PluginTime::spent() - spent_before;
    if (took > watchdog_.limit && watchdog_.report) watchdog_.report(took);
}

void Strand::close() { drop_all(true); }

void Strand::drop_all(bool close) {
    std::deque<Function> dropped;  // freed after the lock, for that may come back here
    const std::lock_guard lock(mutex_);
    dropped.swap(queue_);
    closed_ = closed_ || close;
    scheduled_ = false;
}

}  // namespace capstan::plugin_runtime::loop
