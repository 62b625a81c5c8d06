#include "plugin_runtime/services/operations.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "plugin_runtime/loop/guarded_call.hpp"
#include "plugin_runtime/loop/plugin_time.hpp"

namespace capstan::plugin_runtime::services {

namespace {

/// For start, stop and self_check.
constexpr std::size_t reserved_slots = 3;
/// How long an end waits for the operation's own cancel function, which must not block.
constexpr auto cancel_patience = std::chrono::seconds(1);

std::uint32_t next_generation() {
    static std::atomic<std::uint32_t> last{0};
    std::uint32_t generation = ++last;
    while (generation == 0) generation = ++last;
    return generation;
}

capstan_op op_of(std::uint32_t generation, std::size_t slot) {
    return (static_cast<capstan_op>(generation) << 32) | slot;
}

Result<std::any> raised_result(const Operation& operation, std::uint32_t type, const void* result) {
    const auto misfit = [&](const std::string& why) {
        return capstan::fail(ErrorCode::internal, operation.what + ": " + why);
    };
    if (type != operation.result_type) {
        return misfit("the plugin completed with a result of type " + std::to_string(type) +
                      ", expected type " + std::to_string(operation.result_type));
    }
    if (type == CAPSTAN_RESULT_NONE) return std::any();
    const loop::PluginTime::Paused copying;
    if (result == nullptr) return misfit("the plugin completed without a result");
    try {
        Result<std::any> copy = operation.from_abi(result);
        if (!copy) return capstan::fail(within(operation.what, std::move(copy).error()));
        return copy;
    } catch (const std::exception& e) {
        return misfit(std::string("the result cannot be copied: ") + e.what());
    }
}

}  // namespace

OperationTable::OperationTable(io::Loop& loop, std::shared_ptr<loop::Strand> strand,
                               Options options)
    : loop_(loop),
      strand_(std::move(strand)),
      options_(std::move(options)),
      slots_(options_.max_open + reserved_slots),
      ends_(slots_.size()) {}

Result<capstan_op> OperationTable::open(Operation operation) {
    const Lock lock(mutex_);
    const bool refused = !operation.reserved && is_full();
    for (std::size_t i = 0; i < slots_.size() && !refused; ++i) {
        Slot& slot = slots_[i];
        if (slot.generation != 0) continue;
        slot = Slot();
        slot.generation = next_generation();
        slot.reserved = operation.reserved;
        slot.term = options_.term ? options_.term() : 0;
        slot.opened = loop_.monotonic();
        slot.operation = std::move(operation);
        const capstan_op op = op_of(slot.generation, i);
        set_timer(slot, op, slot.operation.deadline, &OperationTable::give_up);
        return op;
    }
    return capstan::fail(ErrorCode::busy, operation.what + ": " +
                                              std::to_string(options_.max_open) +
                                              " calls are running, no more are allowed");
}

bool OperationTable::is_full() const {
    const auto is_counted = [](const Slot& s) { return s.generation != 0 && !s.reserved; };
    return static_cast<std::size_t>(std::count_if(slots_.begin(), slots_.end(), is_counted)) >=
           options_.max_open;
}

void OperationTable::answered(capstan_op op, const Result<capstan_status>& status) {
    if (status == CAPSTAN_OK) return;
    std::optional<Operation> operation = claim(op);
    if (!operation) {
        // A function may have reported why before it returned; then there is nothing left to end.
        const std::optional<PluginEnd> end = find_end(op);
        if (!end || !end->is_completion) return;
        return report_misuse(
            is_error_after_told_,
            end->what + ": was completed, and then its function returned " +
                std::string(name_of(status ? error_code(*status) : status.error().code)) +
                "; the completion counts");
    }
    Error why = status ? loop::error_of(*status, operation->what)
                       : Error{status.error().code, operation->what + " " + status.error().message};
    release(op, std::move(*operation), capstan::fail(std::move(why)));
}

capstan_status OperationTable::complete(capstan_op op, std::uint32_t result_type,
                                        const void* result) {
    std::optional<Operation> operation = claim(op);
    if (!operation) return late(op);
    note_end(op, true, operation->what);
    Result<std::any> copy = raised_result(*operation, result_type, result);
    const bool fits = copy.has_value();
    release(op, std::move(*operation), std::move(copy));
    return fits ? CAPSTAN_OK : CAPSTAN_E_INVALID_ARGUMENT;
}

capstan_status OperationTable::fail(capstan_op op, const capstan_error* error) {
    Error copy = loop::copy_error(error);
    std::optional<Operation> operation = claim(op);
    if (!operation) return late(op);
    note_end(op, false, operation->what);
    Error why = within(operation->what, std::move(copy));
    release(op, std::move(*operation), capstan::fail(std::move(why)));
    return CAPSTAN_OK;
}

/// Either the host had closed the operation, which is no misuse, or the plugin has ended it twice.
capstan_status OperationTable::late(capstan_op op) {
    if (options_.on_late) options_.on_late();
    if (const std::optional<PluginEnd> end = find_end(op))
        report_misuse(is_second_end_told_,
                      end->what + ": was completed twice; the first completion counts");
    return CAPSTAN_E_NOT_FOUND;
}

void OperationTable::note_end(capstan_op op, bool is_completion, const std::string& what) {
    const Lock lock(mutex_);
    ends_[op & 0xffffffffu] = {.op = op, .is_completion = is_completion, .what = what};
}

std::optional<OperationTable::PluginEnd> OperationTable::find_end(capstan_op op) const {
    const Lock lock(mutex_);
    const std::size_t slot = op & 0xffffffffu;
    if (op == 0 || slot >= ends_.size() || ends_[slot].op != op) return std::nullopt;
    return ends_[slot];
}

void OperationTable::report_misuse(bool& is_reported, const std::string& sentence) {
    {
        const Lock lock(mutex_);
        if (std::exchange(is_reported, true)) return;
    }
    if (options_.on_misuse) options_.on_misuse(sentence);
}

bool OperationTable::is_cancelled(capstan_op op) const {
    const Lock lock(mutex_);
    const Slot* const slot = find(op);
    return slot == nullptr || slot->cancelled;
}

std::optional<Duration> OperationTable::deadline_of(capstan_op op) const {
    const Lock lock(mutex_);
    const Slot* const slot = find(op);
    return slot != nullptr ? std::optional(slot->operation.deadline) : std::nullopt;
}

std::optional<std::uint64_t> OperationTable::term_of(capstan_op op) const {
    const Lock lock(mutex_);
    const Slot* const slot = find(op);
    return slot != nullptr ? std::optional(slot->term) : std::nullopt;
}

capstan_status OperationTable::on_cancel(capstan_op op, CancelFunction fn, void* user) {
    const Lock lock(mutex_);
    Slot* const slot = find(op);
    if (slot == nullptr) return CAPSTAN_E_NOT_FOUND;
    slot->cancel = fn;
    slot->user = user;
    if (slot->cancelled && fn != nullptr) post_cancel(op);
    return CAPSTAN_OK;
}

void OperationTable::cancel_all(capstan_op except) {
    for (const capstan_op op : others(except)) give_up(op);
}

void OperationTable::close_all(capstan_op except, const Error& error) {
    for (const capstan_op op : others(except)) end(op, error);
}

void OperationTable::abandon_all(const Error& error) {
    close_all(0, error);
    for (const capstan_op op : others(0)) {
        Lock lock(mutex_);
        Slot* const slot = find_ending(op);
        if (slot == nullptr) continue;
        const auto why = std::exchange(slot->end_with, std::nullopt);
        if (!why) continue;
        if (slot->timer != 0) loop_.cancel(slot->timer);
        Operation copy = slot->operation;
        lock.unlock();
        release(op, std::move(copy), capstan::fail(*why));
    }
}

std::size_t OperationTable::open_count() const { return others(0).size(); }

std::vector<capstan_op> OperationTable::others(capstan_op except) const {
    const Lock lock(mutex_);
    std::vector<capstan_op> ops;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (slots_[i].generation != 0) ops.push_back(op_of(slots_[i].generation, i));
    }
    std::erase(ops, except);
    return ops;
}

OperationTable::Slot* OperationTable::find(capstan_op op) {
    return const_cast<Slot*>(std::as_const(*this).find(op));
}

const OperationTable::Slot* OperationTable::find(capstan_op op) const {
    const std::size_t at = op & 0xffffffffu;
    if (op >> 32 == 0 || at >= slots_.size()) return nullptr;
    const Slot& slot = slots_[at];
    return slot.generation == op >> 32 && !slot.ending ? &slot : nullptr;
}

/// Called on a thread of the plugin that ends `op`; from then on no other thread ends it, and its
/// cancel function is not called any more. A cancel function that is under way on another thread is
/// waited for, so that the plugin may free what the function uses. The wait has a limit, since a
/// plugin may hold a lock across both.
std::optional<Operation> OperationTable::claim(capstan_op op) {
    Lock lock(mutex_);
    Slot* const slot = find(op);
    if (slot == nullptr) return std::nullopt;
    slot->ending = true;
    slot->cancel = nullptr;
    if (slot->timer != 0) loop_.cancel(slot->timer);
    cancel_returned_.wait_for(lock, cancel_patience, [slot] {
        return slot->cancelling == std::thread::id() ||
               slot->cancelling == std::this_thread::get_id();
    });
    return std::move(slot->operation);
}

void OperationTable::release(capstan_op op, Operation operation, Result<std::any> result) {
    Duration opened{};
    {
        const Lock lock(mutex_);
        Slot& slot = slots_[op & 0xffffffffu];
        slot.generation = 0;
        opened = slot.opened;
    }
    if (options_.on_end && operation.hook)
        options_.on_end(*operation.hook, loop_.monotonic() - opened,
                        result ? nullptr : &result.error());
    strand_->post_to_host([operation = std::move(operation), result = std::move(result)]() mutable {
        operation.done(std::move(result));
    });
}

/// A cancel function that is under way on another thread delays the end: until it has returned, the
/// data that the plugin borrows is kept. This call does not wait for it, since it may be made on
/// the loop's thread.
bool OperationTable::end(capstan_op op, Error error) {
    Lock lock(mutex_);
    Slot* const slot = find(op);
    if (slot == nullptr) return false;
    Error why = within(slot->operation.what, std::move(error));
    slot->ending = true;
    slot->cancel = nullptr;
    if (slot->timer != 0) loop_.cancel(slot->timer);
    const bool is_cancelling =
        slot->cancelling != std::thread::id() && slot->cancelling != std::this_thread::get_id();
    if (is_cancelling) {
        slot->end_with = std::move(why);
        set_timer(*slot, op, loop_.monotonic() + cancel_patience, &OperationTable::release_waiting);
        return true;
    }
    Operation operation = std::move(slot->operation);
    lock.unlock();
    release(op, std::move(operation), capstan::fail(std::move(why)));
    return true;
}

/// Ends an operation once its cancel function has returned or cancel_patience has passed.
void OperationTable::release_waiting(capstan_op op) {
    Lock lock(mutex_);
    Slot* const slot = find_ending(op);
    if (slot == nullptr) return;
    auto why = std::exchange(slot->end_with, std::nullopt);
    if (!why) return;
    if (slot->timer != 0) loop_.cancel(slot->timer);
    Operation operation = std::move(slot->operation);
    lock.unlock();
    release(op, std::move(operation), capstan::fail(*std::move(why)));
}

OperationTable::Slot* OperationTable::find_ending(capstan_op op) {
    const std::size_t at = op & 0xffffffffu;
    if (op >> 32 == 0 || at >= slots_.size()) return nullptr;
    Slot& slot = slots_[at];
    return slot.generation == op >> 32 && slot.ending ? &slot : nullptr;
}

void OperationTable::set_timer(Slot& slot, capstan_op op, Duration due,
                               void (OperationTable::*then)(capstan_op)) {
    slot.timer = loop_.at(due, [weak = weak_from_this(), op, then] {
        if (const auto table = weak.lock()) (*table.*then)(op);
    });
}

/// Has the plugin's cancel function called, and gives the plugin a grace for ending the operation.
void OperationTable::give_up(capstan_op op) {
    {
        const Lock lock(mutex_);
        Slot* const slot = find(op);
        if (slot == nullptr || slot->cancelled) return;
        slot->cancelled = true;
        loop_.cancel(slot->timer);
        set_timer(*slot, op, loop_.monotonic() + options_.grace, &OperationTable::overdue);
        if (slot->cancel != nullptr) post_cancel(op);
    }
    if (options_.on_cancel) options_.on_cancel(op);
    // The cancel function cannot run while the strand is stuck, so a grace would be of no use.
    if (const auto stuck = strand_->stuck()) end_stuck(op, *stuck);
}

void OperationTable::overdue(capstan_op op) {
    if (options_.on_overdue) options_.on_overdue();
    end(op, {ErrorCode::deadline, "the plugin did not complete the call in time"});
}

void OperationTable::end_stuck(capstan_op op, const loop::HeldCall& stuck) {
    if (options_.on_overdue) options_.on_overdue();
    end(op, {ErrorCode::deadline, "timed out: " + stuck.sentence()});
}

void OperationTable::post_cancel(capstan_op op) {
    strand_->post([self = shared_from_this(), op] { self->call_cancel(op); });
}

void OperationTable::call_cancel(capstan_op op) {
    Lock lock(mutex_);
    Slot* const slot = find(op);
    if (slot == nullptr || slot->cancel == nullptr) return;
    const CancelFunction fn = std::exchange(slot->cancel, nullptr);
    void* const user = slot->user;
    slot->cancelling = std::this_thread::get_id();
    lock.unlock();
    if (options_.call_cancel) {
        options_.call_cancel(fn, user, op);
    } else {
        fn(user, op);
    }
    lock.lock();
    if (slot->generation == op >> 32) slot->cancelling = {};
    lock.unlock();
    cancel_returned_.notify_all();
    release_waiting(op);
}

Result<Duration> time_left(const OperationTable& operations, capstan_op parent, Duration now) {
    if (parent == 0) return Duration::max();
    const std::optional<Duration> deadline = operations.deadline_of(parent);
    if (!deadline || operations.is_cancelled(parent))
        return capstan::fail(ErrorCode::cancelled, "its operation has ended");
    return std::max(*deadline - now, Duration(1));
}

}  // namespace capstan::plugin_runtime::services
