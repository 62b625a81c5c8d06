/// What a decision class can be asked, in forms it must all live through.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/testing/responses.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// An answer in a form that is equal exactly if the answers are.
struct Reply {
    capstan_status status = CAPSTAN_OK;
    std::vector<std::string> faults{};
    std::string answer{};

    bool operator==(const Reply&) const = default;
};

enum class Form {
    sound,      ///< what a host asks
    huge,       ///< the same, in a size no host will ever ask
    malformed,  ///< what no host of ours asks: only memory is as promised
};

struct HookRequest {
    std::string name;  ///< "one option"
    Form form = Form::sound;
    /// Any thread, several at once.
    std::function<Reply(const void* table, const FakeCall& call)> ask;
    /// For a class that asks a service, in place of `ask`; empty: there is none of this kind. One
    /// thread.
    std::function<Reply(FakeHost& host, const capstan_async_expander& table, const FakeCall& call)>
        ask_service{};
};

/// For a kind that has none of these hooks: none.
std::vector<HookRequest> hook_requests(std::string_view kind, std::uint64_t seed,
                                       std::uint32_t huge);

std::vector<HookRequest> expander_requests(std::uint64_t seed, std::uint32_t huge);
std::vector<HookRequest> similarity_requests(std::uint64_t seed, std::uint32_t huge);
std::vector<HookRequest> splitter_requests(std::uint64_t seed, std::uint32_t huge);

std::vector<HookRequest> group_source_requests(std::uint64_t seed, std::uint32_t huge);

}  // namespace testing
CAPSTAN_NAMESPACE_END
