/// The answer of /snapshotz: all nodes and pods of a pass, in upstream's format.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "autoscaler/pass_report.hpp"

namespace capstan::autoscaler::daemon {

/// {"NodeList":[{"Node":{..},"Pods":[..]},..],
///  "UnscheduledPodsCanBeScheduled":[..],
///  "TemplateNodes":{"GROUP":{"Node":{..},"Pods":[]},..},
///  "StartTimestamp":"..","EndTimestamp":".."}
///
/// Nodes are sorted by name. Pods have the fields that the host keeps: enough for `capstan
/// simulate`. The pods that can be scheduled are pending pods with room on existing or upcoming
/// nodes; of equal pods the first ones by name.
std::string snapshot_json(const PassReport& pass, Time start, Time end);
/// The answer when the pass has failed.
std::string failed_snapshot_json(const std::string& why, Time start, Time end);

/// The answer to a request.
struct TakenSnapshot {
    std::string json{};
    bool has_failed = false;  ///< `json` has the error and no objects
};

/// Holds one request at a time, as upstream does. The request waits for a pass that begins after
/// it. [any thread]
class DebugSnapshot {
public:
    using Answer = std::function<void(Result<TakenSnapshot> snapshot)>;
    using RequestId = std::uint64_t;

    /// `answer` is called once, when the snapshot has been gathered or given up. `busy`: another
    /// request waits already, and `answer` is not called.
    Result<RequestId> ask(Answer answer);
    /// Answers the request with `unavailable`, unless it has been answered already.
    void give_up(RequestId request);

    /// Whether a request waits.
    bool is_asked();

    // [passes' thread]
    void pass_began(Time now);
    /// `pass` NULL: the pass has failed.
    void pass_ended(const PassReport* pass, Time now);

private:
    struct Request {
        RequestId id = 0;
        Answer answer{};
        std::optional<Time> began{};  ///< when the pass that gathers it began
    };
    std::mutex mutex_;
    RequestId last_ = 0;
    std::optional<Request> waiting_{};
};

}  // namespace capstan::autoscaler::daemon
