/// All nodes and pods that a pass saw, in upstream's form: what /snapshotz answers.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "runtime/daemon/pass_report.hpp"

namespace capstan::runtime::daemon {

/// {"NodeList":[{"Node":{..},"Pods":[..]},..],
///  "UnscheduledPodsCanBeScheduled":[..],
///  "StartTimestamp":"..","EndTimestamp":"..",
///  "TemplateNodes":{"GROUP":{"Node":{..},"Pods":[]},..}}
///
/// Nodes by name, and of pods what the host keeps of them: enough for `capstan simulate`. The pods
/// that can be scheduled are those that wait and have room on nodes that are there or on their way;
/// of equal ones the first by name.
std::string snapshot_json(const PassReport& pass, Time start, Time end);
/// Nothing could be gathered.
std::string failed_snapshot_json(const std::string& why, Time start, Time end);

// Requests for a snapshot for debugging, and the pass that gathers it.

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

    /// `answer` is called once, when the snapshot is gathered or given up. `busy`: another one
    /// waits already, and `answer` is dropped.
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

}  // namespace capstan::runtime::daemon
