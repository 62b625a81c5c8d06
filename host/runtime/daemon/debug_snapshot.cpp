#include "runtime/daemon/debug_snapshot.hpp"

#include <utility>

#include "runtime/daemon/snapshot_json.hpp"

namespace capstan::runtime {

Result<DebugSnapshot::RequestId> DebugSnapshot::ask(Answer answer) {
    const std::lock_guard lock(mutex_);
    if (waiting_)
        return fail(ErrorCode::busy,
                    "Another debugging snapshot request is being processed. Concurrent requests "
                    "not supported");
    waiting_ = Request{.id = ++last_, .answer = std::move(answer)};
    return last_;
}

void DebugSnapshot::give_up(RequestId request) {
    std::optional<Request> given_up;
    {
        const std::lock_guard lock(mutex_);
        if (waiting_ && waiting_->id == request) given_up = std::exchange(waiting_, std::nullopt);
    }
    if (given_up) given_up->answer(fail(ErrorCode::unavailable, "no pass gathered it in time"));
}

void DebugSnapshot::pass_began(Time now) {
    const std::lock_guard lock(mutex_);
    if (waiting_) waiting_->began = now;
}

void DebugSnapshot::pass_ended(const PassReport* pass, Time now) {
    RequestId id = 0;
    Time began;
    {
        const std::lock_guard lock(mutex_);
        if (!waiting_ || !waiting_->began) return;
        id = waiting_->id;
        began = *waiting_->began;
    }
    // Takes its time; meanwhile the request may be given up.
    TakenSnapshot taken{
        .json = pass != nullptr ? snapshot_json(*pass, began, now)
                                : failed_snapshot_json("Unable to collect any data", began, now),
        .has_failed = pass == nullptr};
    std::optional<Request> answered;
    {
        const std::lock_guard lock(mutex_);
        if (waiting_ && waiting_->id == id) answered = std::exchange(waiting_, std::nullopt);
    }
    if (answered) answered->answer(std::move(taken));
}

}  // namespace capstan::runtime
