/// Asynchronous calls into one instance that have not ended yet.
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
#include "runtime/loop/breadcrumbs.hpp"
#include "runtime/loop/strand.hpp"

namespace capstan::runtime::services {

/// One call: what may end it, and what is told then.
struct Operation {
    std::string what;                                 ///< "refresh"; begins its error messages
    std::uint32_t result_type = CAPSTAN_RESULT_NONE;  ///< CAPSTAN_RESULT_*
    Duration deadline{};                              ///< a point of the loop's monotonic time
    bool reserved = false;  ///< not counted: start and stop are never refused
    std::optional<loop::Hook>
        hook{};  ///< which call of the instance it is; nothing: none that is timed
    /// Copies a result of that type; called inside `complete`, on the plugin's thread. Not for
    /// CAPSTAN_RESULT_NONE.
    std::function<Result<std::any>(const void* result)> from_abi;
    /// Exactly once, whatever happens, on the host's side: see Strand::post_to_host. The empty
    /// std::any for CAPSTAN_RESULT_NONE. Keeps alive what the plugin was lent: it is freed when the
    /// operation is closed.
    std::function<void(Result<std::any>)> done;
};

/// Ids are slot and generation; a generation is used once in the life of the process, so that a
/// completion which is late, double, of an earlier instance or of another one finds nothing. [any
/// thread]
class OperationTable : public std::enable_shared_from_this<OperationTable> {
public:
    using CancelFunction = void (*)(void* user, capstan_op op) CAPSTAN_NOEXCEPT;
    struct Options {
        std::size_t max_open = 64;  ///< beside reserved ones
        /// How long an operation may go on after its deadline to clean up; then it is closed.
        Duration grace = std::chrono::seconds(5);
        std::function<void()> on_late;  ///< counts completions that found nothing
        std::function<void()>
            on_overdue;  ///< counts operations closed after their deadline and grace
        /// Calls a plugin's cancel function; NULL: it is just called.
        std::function<void(CancelFunction fn, void* user, capstan_op op)> call_cancel{};
        std::function<void(capstan_op)>
            on_cancel;  ///< told first of every operation that is given up
        /// Told once of each kind, in a sentence: a second end of an operation, and an error
        /// returned after its completion.
        std::function<void(const std::string& sentence)> on_misuse{};
        /// Told of each that has a hook, when it is over: what it took, and the error, or NULL.
        std::function<void(loop::Hook hook, Duration took, const Error* error)> on_end{};
        /// In which term this host leads, for term_of; NULL: always in the same. [any thread]
        std::function<std::uint64_t()> term{};
    };
    OperationTable(io::Loop& loop, std::shared_ptr<loop::Strand> strand, Options options);

    /// `busy` when all slots are taken.
    Result<capstan_op> open(Operation operation);
    /// What a function answered that was handed `op`: a status other than CAPSTAN_OK ends it, and
    /// so does an error, which it let out.
    void answered(capstan_op op, const Result<capstan_status>& status);
    /// Ends one with `error`; false: it is over. Does not wait for the plugin.
    bool end(capstan_op op, Error error);
    /// Gives one up: the plugin is told, and its requests end, as if its deadline had come.
    void cancel(capstan_op op) { give_up(op); }
    /// Gives every operation but `except` up: the plugin is told and may end it by itself until
    /// `close_all`.
    void cancel_all(capstan_op except);
    /// Ends every operation but `except` with `error`.
    void close_all(capstan_op except, const Error& error);
    /// The same for all at once, also where a cancel function is under way: it may not return, and
    /// uses what the operation was lent, which therefore stays.
    void abandon_all(const Error& error);
    std::size_t open_count() const;

    // What the plugin calls; meanings in abi/service_ops.h.
    capstan_status complete(capstan_op op, std::uint32_t result_type, const void* result);
    capstan_status fail(capstan_op op, const capstan_error* error);
    bool is_cancelled(capstan_op op) const;
    std::optional<Duration> deadline_of(capstan_op op) const;
    /// When it was begun; nothing: it is over.
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
        std::thread::id cancelling;       ///< where `cancel` is under way
        std::optional<Error> end_with{};  ///< ended by the host; its result waits for `cancel`
    };
    /// The last operation of a slot that the plugin ended.
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
    void tell_misuse(bool& is_told, const std::string& sentence);

    io::Loop& loop_;
    const std::shared_ptr<loop::Strand> strand_;
    const Options options_;
    mutable std::mutex mutex_;
    std::condition_variable cancel_returned_;
    std::vector<Slot> slots_;
    std::vector<PluginEnd> ends_;  ///< by slot
    bool is_second_end_told_ = false, is_error_after_told_ = false;
};

/// What a request made for `parent` may take at most; without one as long as it likes. `cancelled`:
/// the operation is over. `now`: of the clock of deadlines.
Result<Duration> time_left(const OperationTable& operations, capstan_op parent, Duration now);

}  // namespace capstan::runtime::services
