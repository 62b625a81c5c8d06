/// The asynchronous calls into one instance that have not ended yet.
#pragma once

#include <any>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <capstan/abi/service_ops.h>
#include <capstan/result.hpp>

#include "io/loop.hpp"
#include "plugin_runtime/loop/breadcrumbs.hpp"
#include "plugin_runtime/loop/strand.hpp"

namespace capstan::plugin_runtime::services {

/// One asynchronous call: its result type and deadline, and the callback of its end.
struct Operation {
    std::string what;                                 ///< "refresh"; begins its error messages
    std::uint32_t result_type = CAPSTAN_RESULT_NONE;  ///< CAPSTAN_RESULT_*
    Duration deadline{};                              ///< a point of the loop's monotonic time
    bool reserved = false;  ///< not counted in max_open: start and stop are never refused
    std::optional<loop::Hook> hook{};  ///< for metrics of its duration; absent: none are kept
    /// Copies a result of that type; called inside `complete`, on the plugin's thread. Not for
    /// CAPSTAN_RESULT_NONE.
    std::function<Result<std::any>(const void* result)> from_abi;
    /// Called exactly once on the host's side (see Strand::post_to_host), with an empty std::any
    /// for CAPSTAN_RESULT_NONE. Owns the data that the plugin borrows; it is destroyed after the
    /// call.
    std::function<void(Result<std::any>)> done;
};

/// An id is a slot and a generation. A generation is used once in the life of the process, so that
/// a completion finds no operation when it is late, comes twice, or is of an earlier or another
/// instance. [any thread]
class OperationTable : public std::enable_shared_from_this<OperationTable> {
public:
    using CancelFunction = void (*)(void* user, capstan_op op) CAPSTAN_NOEXCEPT;
    struct Options {
        std::size_t max_open = 64;  ///< not counting reserved ones
        /// The time that an operation has for cleaning up after its deadline; then the host closes
        /// it.
        Duration grace = std::chrono::seconds(5);
        std::function<void()> on_late;  ///< a completion found no operation
        /// The host closed an operation after its deadline and grace.
        std::function<void()> on_overdue;
        /// Calls a plugin's cancel function. NULL: the table calls it directly.
        std::function<void(CancelFunction fn, void* user, capstan_op op)> call_cancel{};
        std::function<void(capstan_op)> on_cancel;  ///< called for each operation that is cancelled
        /// Called once for each kind of misuse: a second end of an operation, and an error that a
        /// function returned after it had completed its operation.
        std::function<void(const std::string& sentence)> on_misuse{};
        /// Called at the end of each operation that has a hook. `error` is NULL for a success.
        std::function<void(loop::Hook hook, Duration took, const Error* error)> on_end{};
        /// The term in which this host leads, for term_of. NULL: the term never changes. [any
        /// thread]
        std::function<std::uint64_t()> term{};
    };
    OperationTable(io::Loop& loop, std::shared_ptr<loop::Strand> strand, Options options);

    /// `busy` when all slots are taken.
    Result<capstan_op> open(Operation operation);
    /// Takes the status that a plugin's function has returned for `op`. A status other than
    /// CAPSTAN_OK ends the operation, and so does an error: an exception of the function.
    void answered(capstan_op op, const Result<capstan_status>& status);
    /// Ends an operation with `error`; false: it was over already. Does not wait for the plugin.
    bool end(capstan_op op, Error error);
    /// Cancels an operation as its deadline would: its cancel function is called, its requests end,
    /// and it has `grace` for ending by itself.
    void cancel(capstan_op op) { give_up(op); }
    /// Cancels every operation but `except`. The plugin may end them by itself until `close_all`.
    void cancel_all(capstan_op except);
    /// Ends every operation but `except` with `error`.
    void close_all(capstan_op except, const Error& error);
    /// Ends all operations at once, also during calls of their cancel functions. Such a function
    /// may never return, so the data that the plugin borrowed for the operation is kept.
    void abandon_all(const Error& error);
    std::size_t open_count() const;

    // Called by the plugin, as abi/service_ops.h says.
    capstan_status complete(capstan_op op, std::uint32_t result_type, const void* result);
    capstan_status fail(capstan_op op, const capstan_error* error);
    bool is_cancelled(capstan_op op) const;
    std::optional<Duration> deadline_of(capstan_op op) const;
    /// The term in which the operation began; absent: it is over.
    std::optional<std::uint64_t> term_of(capstan_op op) const;
    capstan_status on_cancel(capstan_op op, CancelFunction fn, void* user);

private:
    struct Slot {
        std::uint32_t generation = 0;  ///< 0: free
        bool ending = false;           ///< its result is being copied
        bool cancelled = false;
        bool reserved = false;
        std::uint64_t term = 0;
        Duration opened{};
        Operation operation;
        io::TimerId timer = 0;
        CancelFunction cancel = nullptr;
        void* user = nullptr;
        std::thread::id cancelling;       ///< the thread on which `cancel` is under way
        std::optional<Error> end_with{};  ///< the host has ended it; the result waits for `cancel`
    };
    /// The last operation of a slot that was ended by the plugin.
    struct PluginEnd {
        capstan_op op = 0;
        bool is_completion = false;
        std::string what;
    };
    using Lock = std::unique_lock<std::mutex>;

    bool is_full() const;
    Slot* find(capstan_op op);
    const Slot* find(capstan_op op) const;
    Slot* find_ending(capstan_op op);
    std::optional<Operation> claim(capstan_op op);
    void release(capstan_op op, Operation operation, Result<std::any> result);
    void release_waiting(capstan_op op);
    void set_timer(Slot& slot, capstan_op op, Duration due,
                   void (OperationTable::*then)(capstan_op));
    void give_up(capstan_op op);
    void overdue(capstan_op op);
    void end_stuck(capstan_op op, const loop::HeldCall& stuck);
    void post_cancel(capstan_op op);
    void call_cancel(capstan_op op);
    std::vector<capstan_op> others(capstan_op except) const;
    capstan_status late(capstan_op op);
    void note_end(capstan_op op, bool is_completion, const std::string& what);
    std::optional<PluginEnd> find_end(capstan_op op) const;
    void report_misuse(bool& is_reported, const std::string& sentence);

    io::Loop& loop_;
    const std::shared_ptr<loop::Strand> strand_;
    const Options options_;
    mutable std::mutex mutex_;
    std::condition_variable cancel_returned_;
    std::vector<Slot> slots_;
    std::vector<PluginEnd> ends_;  ///< by slot
    bool is_second_end_told_ = false, is_error_after_told_ = false;
};

/// The time left for a request that is made for the operation `parent`; without a parent (0) it is
/// not limited. `cancelled`: the operation is over. `now`: of the clock of deadlines.
Result<Duration> time_left(const OperationTable& operations, capstan_op parent, Duration now);

}  // namespace capstan::plugin_runtime::services
