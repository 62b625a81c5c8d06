/// The operations of a fake host: opened by a test, ended by a plugin, by their deadline or by
/// `stop`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/operation.hpp>

#include "fake_loop.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

class FakeOperations {
public:
    explicit FakeOperations(FakeLoop& loop) : loop_(loop) {}

    using OnCancel = void (*)(void* user, capstan_op op) noexcept;

    /// `allowed` from now on it is cancelled and ends as CAPSTAN_E_DEADLINE.
    capstan_op open(std::uint32_t result_type, Duration allowed,
                    std::shared_ptr<detail::OperationSink> sink);
    /// Ends it from the host's side with `why`, after its on_cancel had its turn. Nothing if it is
    /// over.
    void close(capstan_op op, Error why);
    /// The function that was to begin it has returned an error.
    void refuse_start(capstan_op op, Error why);
    /// Every open one but `kept`.
    void close_all(capstan_op kept, const Error& why);

    // What the table "capstan.ops/1" does; see service_ops.h. Any thread.
    capstan_status complete(capstan_op op, std::uint32_t result_type, const void* result);
    capstan_status fail(capstan_op op, const capstan_error& error);
    bool is_cancelled(capstan_op op) const;
    Duration deadline(capstan_op op) const;
    capstan_status on_cancel(capstan_op op, OnCancel fn, void* user);

    std::size_t open_count() const;
    /// Those that are over are unknown from then on.
    void forget_closed();
    Misuse misuse() const;

private:
    enum class State { open, ended_by_plugin, closed_by_host };
    struct Slot {
        std::uint32_t result_type = CAPSTAN_RESULT_NONE;
        Duration deadline{};
        std::shared_ptr<detail::OperationSink> sink;
        State state = State::open;
        bool cancelled = false;
        OnCancel on_cancel = nullptr;
        void* user = nullptr;
        std::uint64_t timer = 0;
    };

    Slot* find_open(capstan_op op);
    /// Counts why `op` cannot be ended (any more).
    capstan_status refuse(capstan_op op);
    /// Lets the plugin know; answers whether the operation is still open afterwards. Called without
    /// the lock.
    void complete_cancelled(capstan_op op);

    FakeLoop& loop_;
    mutable std::mutex mutex_;
    std::map<capstan_op, Slot> slots_;
    Misuse misuse_;
};

}  // namespace testing
CAPSTAN_NAMESPACE_END
