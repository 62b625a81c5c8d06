#include "plugin_runtime/loop/pending_callbacks.hpp"

#include <tuple>
#include <utility>
#include <vector>

namespace capstan::plugin_runtime::loop {

PendingCallbacks::PendingCallbacks(io::Loop& loop, std::shared_ptr<Strand> strand,
                                   std::shared_ptr<PluginCalls> calls, Options options)
    : loop_(loop),
      strand_(std::move(strand)),
      calls_(std::move(calls)),
      options_(options),
      pool_(options.blocking) {}

capstan_status PendingCallbacks::accept(Bound bound) {
    const Lock lock(mutex_);
    return accept_locked(bound);
}

capstan_status PendingCallbacks::accept_locked(Bound bound) {
    if (closed_) return CAPSTAN_E_CANCELLED;
    if (bound == Bound::callbacks && open_ >= options_.max_open) return CAPSTAN_E_BUSY;
    ++count_of(bound);
    return CAPSTAN_OK;
}

void PendingCallbacks::deliver(std::function<void()> call, Bound bound) {
    strand_->post([self = shared_from_this(), call = std::move(call), bound] {
        std::ignore = self->calls_->call_on_strand(Hook::callback, call);
        self->end_one(bound);
    });
}

/// Calls `fn` with `status`. Without a status it is CAPSTAN_OK, or cancelled where `close` has been
/// called before the function runs.
void PendingCallbacks::call_later(capstan_task fn, void* user,
                                  std::optional<capstan_status> status) {
    deliver([self = shared_from_this(), fn, user, status] {
        distrusted(fn)(user, status.value_or(self->is_closed() ? CAPSTAN_E_CANCELLED : CAPSTAN_OK));
    });
}

capstan_status PendingCallbacks::post(capstan_task fn, void* user) {
    if (fn == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    // Under the lock, so that after `close` no thread is on its way into the loop.
    const Lock lock(mutex_);
    const capstan_status accepted = accept_locked();
    if (accepted == CAPSTAN_OK) call_later(fn, user, std::nullopt);
    return accepted;
}

capstan_status PendingCallbacks::after(Duration delay, capstan_task fn, void* user,
                                       std::uint64_t* timer) {
    if (fn == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    const Lock lock(mutex_);
    const capstan_status accepted = accept_locked();
    if (accepted != CAPSTAN_OK) return accepted;
    const std::uint64_t id = ++last_id_;
    const io::TimerId at = loop_.after(delay, [weak = weak_from_this(), id] {
        if (const auto callbacks = weak.lock()) callbacks->fire(id);
    });
    timed_.emplace(id, Timed{at, fn, user});
    if (timer != nullptr) *timer = id;
    return CAPSTAN_OK;
}

void PendingCallbacks::fire(std::uint64_t id) {
    const Lock lock(mutex_);
    const auto at = timed_.find(id);
    if (at == timed_.end()) return;
    const Timed timed = at->second;
    timed_.erase(at);
    call_later(timed.fn, timed.user, std::nullopt);
}

capstan_status PendingCallbacks::cancel_timer(std::uint64_t timer) {
    const Lock lock(mutex_);
    const auto at = timed_.find(timer);
    if (at == timed_.end()) return CAPSTAN_E_NOT_FOUND;
    const Timed timed = at->second;
    timed_.erase(at);
    loop_.cancel(timed.timer);
    call_later(timed.fn, timed.user, CAPSTAN_E_CANCELLED);
    return CAPSTAN_OK;
}

capstan_status PendingCallbacks::blocking(Work work, capstan_task done, void* user) {
    if (work == nullptr || done == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    const Lock lock(mutex_);
    if (closed_) return CAPSTAN_E_CANCELLED;
    const std::uint64_t id = ++last_id_;
    const bool accepted = open_ < options_.max_open && pool_.submit([weak = weak_from_this(), id] {
        if (const auto callbacks = weak.lock()) callbacks->work_off(id);
    });
    if (!accepted) return CAPSTAN_E_BUSY;
    ++open_;
    blocked_.emplace(id,
                     Blocked{work, done, user, std::make_shared<io::Loop::ExternalWork>(loop_)});
    return CAPSTAN_OK;
}

/// On a thread of the pool.
void PendingCallbacks::work_off(std::uint64_t id) {
    std::unique_lock lock(mutex_);
    auto at = blocked_.find(id);
    if (at == blocked_.end()) return;  // cancelled before a thread was free
    at->second.begun = true;
    const Work work = at->second.work;
    void* const user = at->second.user;
    lock.unlock();
    std::ignore = calls_->call(Hook::blocking, [&] { distrusted(work)(user); });
    lock.lock();
    at = blocked_.find(id);
    if (at == blocked_.end()) return;  // abandoned
    call_back(at->second, CAPSTAN_OK);
    blocked_.erase(at);
}

void PendingCallbacks::call_back(const Blocked& blocked, capstan_status status) {
    deliver([done = blocked.done, user = blocked.user, status,
             external_work = blocked.external_work] { distrusted(done)(user, status); });
}

void PendingCallbacks::close() {
    const Lock lock(mutex_);
    closed_ = true;
}

bool PendingCallbacks::is_closed() const {
    const Lock lock(mutex_);
    return closed_;
}

void PendingCallbacks::cancel_all() {
    const Lock lock(mutex_);
    for (const auto& [id, timed] : timed_) {
        loop_.cancel(timed.timer);
        call_later(timed.fn, timed.user, CAPSTAN_E_CANCELLED);
    }
    timed_.clear();
    std::erase_if(blocked_, [this](const auto& entry) {
        if (entry.second.begun) return false;  // the thread is waited for
        call_back(entry.second, CAPSTAN_E_CANCELLED);
        return true;
    });
}

void PendingCallbacks::abandon() {
    std::function<void()> dropped;
    const Lock lock(mutex_);
    closed_ = true;
    for (const auto& [id, timed] : timed_) loop_.cancel(timed.timer);
    timed_.clear();
    blocked_.clear();
    dropped.swap(then_);
    strand_->close();
}

void PendingCallbacks::end_one(Bound bound) {
    std::function<void()> then;
    {
        const Lock lock(mutex_);
        --count_of(bound);
        if (open_ + open_of_services_ == 0) then = std::exchange(then_, nullptr);
    }
    if (then) then();
}

void PendingCallbacks::when_empty(std::function<void()> then) {
    {
        const Lock lock(mutex_);
        if (open_ + open_of_services_ > 0) {
            then_ = std::move(then);
            return;
        }
    }
    then();
}

std::size_t PendingCallbacks::open_count() const {
    const Lock lock(mutex_);
    return open_ + open_of_services_;
}

}  // namespace capstan::plugin_runtime::loop
