/// The capstan_call of one synchronous call, and what the plugin says through it.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <capstan/abi/call.h>
#include <capstan/result.hpp>
#include <capstan/time.hpp>

namespace capstan::runtime {

/// How much a plugin may explain in one call; what is beyond is cut.
inline constexpr std::size_t sentences_max = 256;
inline constexpr std::size_t sentence_bytes_max = 1024;

/// Stands where it is while the call is under way; a call that never returns keeps it with its
/// thread's stack.
class HookCall {
public:
    struct Facts {
        std::uint32_t flags = 0;  ///< CAPSTAN_CALL_*
        std::uint64_t seed = 0;
        Time now{};
        Duration deadline{};                  ///< on the host's monotonic clock
        std::function<bool()> is_given_up{};  ///< empty: never
    };
    explicit HookCall(Facts facts);
    HookCall(const HookCall&) = delete;
    HookCall& operator=(const HookCall&) = delete;

    const capstan_call* abi() const noexcept { return &abi_; }
    /// What a status means, with the plugin's own last words: "filter: no options".
    Result<void> outcome(capstan_status status, std::string_view what) const;
    /// What the plugin explained; each sentence printable and cut at 1 KiB.
    std::vector<std::string> take_sentences();

private:
    static HookCall& of(const capstan_call* call) noexcept {
        return *static_cast<HookCall*>(call->ctx);
    }
    static std::int32_t cancelled(const capstan_call* call) noexcept;
    static capstan_status fail(const capstan_call* call, const capstan_error* error) noexcept;
    static void explain(const capstan_call* call, capstan_str sentence) noexcept;

    const Facts facts_;
    capstan_call abi_{};
    mutable std::mutex mutex_;  ///< a hook may report from several threads
    std::optional<Error> error_;
    std::vector<std::string> sentences_;
};

}  // namespace capstan::runtime
