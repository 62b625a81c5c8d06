#include "fake_operations.hpp"

#include <algorithm>
#include <utility>
#include <vector>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

capstan_op FakeOperations::open(std::uint32_t result_type, Duration allowed,
                                std::shared_ptr<detail::OperationSink> sink) {
    const Duration deadline = loop_.now() + allowed;
    capstan_op op = 0;
    {
        const std::lock_guard lock(mutex_);
        // Like a real host's: a generation above, a slot below, so that plugins do not learn to
        // count them.
        op = (std::uint64_t{1} << 32) + slots_.size() + 1;
        slots_.emplace(
            op, Slot{.result_type = result_type, .deadline = deadline, .sink = std::move(sink)});
    }
    const std::uint64_t timer = loop_.at(deadline, [this, op] {
        close(op, {ErrorCode::deadline, "the operation did not end before its deadline"});
    });
    const std::lock_guard lock(mutex_);
    slots_.at(op).timer = timer;
    return op;
}

FakeOperations::Slot* FakeOperations::find_open(capstan_op op) {
    const auto at = slots_.find(op);
    return at != slots_.end() && at->second.state == State::open ? &at->second : nullptr;
}

capstan_status FakeOperations::refuse(capstan_op op) {
    const auto at = slots_.find(op);
    if (at == slots_.end()) {
        ++misuse_.unknown_operations;
    } else if (at->second.state == State::ended_by_plugin) {
        ++misuse_.double_completions;
    } else {
        ++misuse_.late_completions;
    }
    return CAPSTAN_E_NOT_FOUND;
}

capstan_status FakeOperations::complete(capstan_op op, std::uint32_t result_type,
                                        const void* result) {
    const std::lock_guard lock(mutex_);
    Slot* const slot = find_open(op);
    if (slot == nullptr) return refuse(op);
    slot->state = State::ended_by_plugin;
    loop_.cancel(slot->timer);
    if (result_type == slot->result_type) {
        slot->sink->end_with(result);
        return CAPSTAN_OK;
    }
    ++misuse_.wrong_results;
    slot->sink->end_with(Error{ErrorCode::internal, "the operation needs a result of type " +
                                                        std::to_string(slot->result_type) +
                                                        ", but was completed with type " +
                                                        std::to_string(result_type)});
    return CAPSTAN_E_INVALID_ARGUMENT;
}

capstan_status FakeOperations::fail(capstan_op op, const capstan_error& error) {
    const std::lock_guard lock(mutex_);
    Slot* const slot = find_open(op);
    if (slot == nullptr) return refuse(op);
    slot->state = State::ended_by_plugin;
    loop_.cancel(slot->timer);
    slot->sink->end_with(from_abi(error));
    return CAPSTAN_OK;
}

bool FakeOperations::is_cancelled(capstan_op op) const {
    const std::lock_guard lock(mutex_);
    const auto at = slots_.find(op);
    return at == slots_.end() || at->second.state != State::open || at->second.cancelled;
}

Duration FakeOperations::deadline(capstan_op op) const {
    const std::lock_guard lock(mutex_);
    const auto at = slots_.find(op);
    const bool stale = at == slots_.end() || at->second.state != State::open;
    return stale ? Duration::zero() : at->second.deadline;
}

capstan_status FakeOperations::on_cancel(capstan_op op, OnCancel fn, void* user) {
    {
        const std::lock_guard lock(mutex_);
        const auto at = slots_.find(op);
        if (at == slots_.end()) {
            ++misuse_.unknown_operations;
            return CAPSTAN_E_NOT_FOUND;
        }
        if (at->second.state == State::open && !at->second.cancelled) {
            at->second.on_cancel = fn;
            at->second.user = user;
            return CAPSTAN_OK;
        }
        if (at->second.state == State::ended_by_plugin) return CAPSTAN_E_NOT_FOUND;
    }
    fn(user, op);
    return CAPSTAN_OK;
}

void FakeOperations::complete_cancelled(capstan_op op) {
    OnCancel fn = nullptr;
    void* user = nullptr;
    {
        const std::lock_guard lock(mutex_);
        Slot* const slot = find_open(op);
        if (slot == nullptr || slot->cancelled) return;
        slot->cancelled = true;
        fn = std::exchange(slot->on_cancel, nullptr);
        user = slot->user;
    }
    if (fn != nullptr) fn(user, op);
}

void FakeOperations::close(capstan_op op, Error why) {
    complete_cancelled(op);
    const std::lock_guard lock(mutex_);
    Slot* const slot = find_open(op);
    if (slot == nullptr) return;
    slot->state = State::closed_by_host;
    loop_.cancel(slot->timer);
    slot->sink->end_with(std::move(why));
}

void FakeOperations::refuse_start(capstan_op op, Error why) {
    {
        const std::lock_guard lock(mutex_);
        const auto at = slots_.find(op);
        if (at != slots_.end() && at->second.state == State::ended_by_plugin) ++misuse_.late_errors;
    }
    close(op, std::move(why));
}

void FakeOperations::forget_closed() {
    const std::lock_guard lock(mutex_);
    std::erase_if(slots_, [](const auto& slot) { return slot.second.state != State::open; });
}

void FakeOperations::close_all(capstan_op kept, const Error& why) {
    std::vector<capstan_op> open;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [op, slot] : slots_) {
            if (slot.state == State::open && op != kept) open.push_back(op);
        }
    }
    for (const capstan_op op : open) close(op, why);
}

std::size_t FakeOperations::open_count() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(slots_.begin(), slots_.end(),
                      [](const auto& slot) { return slot.second.state == State::open; }));
}

Misuse FakeOperations::misuse() const {
    const std::lock_guard lock(mutex_);
    return misuse_;
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
