/// Who asks for a snapshot for debugging, and the pass that gathers it.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "runtime/daemon/pass_report.hpp"

namespace capstan::runtime {

struct TakenSnapshot {
    std::string json{};
    bool has_failed = false;  ///< it says why, and nothing else
};

/// One request at a time, as upstream has it: it waits for a pass that begins after it. [any
/// thread]
class DebugSnapshot {
public:
    using Answer = std::function<void(Result<TakenSnapshot> snapshot)>;
    using RequestId = std::uint64_t;

    /// `answer` is called once, by whoever gathers or gives up. `busy`: another one waits already,
    /// and `answer` is dropped.
    Result<RequestId> ask(Answer answer);
    /// It has taken too long: `unavailable`. Nothing happens where it has been answered.
    void give_up(RequestId request);

    // [passes' thread]
    void pass_began(Time now);
    /// NULL: it came to nothing.
    void pass_ended(const PassReport* pass, Time now);

private:
    struct Request {
        RequestId id = 0;
        Answer answer{};
        std::optional<Time> began{};  ///< the pass that gathers it
    };
    std::mutex mutex_;
    RequestId last_ = 0;
    std::optional<Request> waiting_{};
};

}  // namespace capstan::runtime
