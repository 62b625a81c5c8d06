/// The context of one decision hook, as a test wants it.
///
///     FakeCall call(7);                                   // the seed
///     expander.filter(call.call(), request, keep);
///     EXPECT_THAT(call.explanations(), ElementsAre("keeps a: ..."));
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <capstan/call.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// Cannot be copied or moved, because the hook holds its address.
class FakeCall {
public:
    explicit FakeCall(std::uint64_t seed = 1) noexcept
        : raw_{sizeof raw_, 0,    1,          seed,  1'767'225'600'000'000'000,
               0,           this, &cancelled, &fail, &explain} {
        raw_.deadline_ns = Duration(std::chrono::hours(2)).count();
    }
    FakeCall(const FakeCall&) = delete;
    FakeCall& operator=(const FakeCall&) = delete;

    /// CAPSTAN_CALL_*.
    FakeCall& with_flags(std::uint32_t flags) noexcept { return raw_.flags = flags, *this; }
    /// The time of the pass; by default the beginning of 2026.
    FakeCall& at(Time now) noexcept { return raw_.now_unix_ns = unix_ns(now), *this; }
    /// On the monotonic clock of the FakeHost.
    FakeCall& due(Duration deadline) noexcept { return raw_.deadline_ns = deadline.count(), *this; }
    /// From now on Call::is_cancelled is true. [any thread]
    FakeCall& cancel() noexcept { return cancelled_ = true, *this; }

    const capstan_call* raw() const noexcept { return &raw_; }
    Call call() const noexcept { return Call(raw_); }

    /// The failure that the hook reported last; absent: it reported none.
    std::optional<Error> failure() const {
        const std::lock_guard lock(mutex_);
        return failure_;
    }
    /// The code of that failure as the hook gave it, which may be an unknown one.
    capstan_status failure_status() const {
        const std::lock_guard lock(mutex_);
        return failure_status_;
    }
    std::vector<std::string> explanations() const {
        const std::lock_guard lock(mutex_);
        return explanations_;
    }

private:
    static FakeCall& self(const capstan_call* call) noexcept {
        return *static_cast<FakeCall*>(call->ctx);
    }
    static std::int32_t cancelled(const capstan_call* call) noexcept {
        return self(call).cancelled_ ? 1 : 0;
    }
    static capstan_status fail(const capstan_call* call, const capstan_error* error) noexcept {
        const std::lock_guard lock(self(call).mutex_);
        self(call).failure_ = from_abi(*error);
        return self(call).failure_status_ = error->code;
    }
    static void explain(const capstan_call* call, capstan_str sentence) noexcept {
        const std::lock_guard lock(self(call).mutex_);
        if (self(call).explanations_.size() < 256)
            self(call).explanations_.emplace_back(text(sentence));
    }

    capstan_call raw_;
    std::atomic<bool> cancelled_ = false;
    mutable std::mutex mutex_;
    std::optional<Error> failure_;
    capstan_status failure_status_ = CAPSTAN_OK;
    std::vector<std::string> explanations_;
};

}  // namespace testing
CAPSTAN_NAMESPACE_END
