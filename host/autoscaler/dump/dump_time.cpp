#include "autoscaler/dump/dump_time.hpp"

#include <chrono>
#include <cstdint>
#include <limits>

#include <capstan/time_text.hpp>

#include "autoscaler/dump/dump_facts.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::autoscaler::dump {
namespace {

using kubernetes::JsonCursor;

/// "node n1", "pod shop/web-1", "Lease kube-node-lease/n1"
std::string object_text(std::string_view kind, const JsonCursor& metadata) {
    const std::string_view ns = metadata["namespace"].text().value_or("");
    const std::string_view word = kind == "Node" ? "node" : kind == "Pod" ? "pod" : kind;
    return std::string(word) + " " + (ns.empty() ? "" : std::string(ns) + "/") +
           std::string(metadata["name"].text().value_or(""));
}

/// The latest of the times of one object.
class Latest {
public:
    void take(std::optional<Time> time, std::string_view what) {
        if (!time || (at && *time <= *at)) return;
        at = time;
        of = what;
    }
    void take(const JsonCursor& place, std::string_view what) {
        const std::optional<std::string_view> text = place.text();
        if (text) take(find_rfc3339(*text), what);
    }
    /// The same for a time that is renewed again and again.
    void take_sign_of_life(const JsonCursor& place, std::string_view what) {
        take(place, what);
        is_alive = is_alive || place.is_text();
    }

    std::optional<Time> at{};
    std::string_view of{};  ///< "latest heartbeat of"
    bool is_alive = false;
};

void take_metadata(const JsonCursor& metadata, Latest& out) {
    out.take(metadata["creationTimestamp"], "creation of");
    for (const JsonCursor& manager : metadata["managedFields"].items())
        out.take(manager["time"], "last change of");
    const auto deleted = find_rfc3339(metadata["deletionTimestamp"].text().value_or(""));
    const auto grace =
        metadata["deletionGracePeriodSeconds"].integer(0, std::numeric_limits<std::int32_t>::max());
    if (deleted && grace) out.take(*deleted - std::chrono::seconds(*grace), "deletion of");
}

void take_status(const JsonCursor& status, Latest& out) {
    for (const JsonCursor& condition : status["conditions"].items()) {
        out.take_sign_of_life(condition["lastHeartbeatTime"], "latest heartbeat of");
        out.take(condition["lastTransitionTime"], "latest condition of");
    }
    out.take(status["startTime"], "start of");
    for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
        for (const JsonCursor& container : status[list].items()) {
            for (const char* state : {"state", "lastState"}) {
                out.take(container[state]["running"]["startedAt"], "latest container start in");
                out.take(container[state]["terminated"]["finishedAt"], "latest container end in");
            }
        }
    }
}

void take_event(const JsonCursor& event, Latest& out) {
    constexpr std::string_view what = "time of";
    for (const char* key : {"lastTimestamp", "eventTime", "deprecatedLastTimestamp"})
        out.take(event[key], what);
    out.take(event["series"]["lastObservedTime"], what);
}

}  // namespace

void DumpTime::add(std::string_view kind, const boost::json::value& object) {
    kubernetes::JsonProblems problems(object);
    const JsonCursor place = problems.root();
    const JsonCursor metadata = place["metadata"];
    Latest own;
    take_metadata(metadata, own);
    take_status(place["status"], own);
    if (kind == "Lease") own.take_sign_of_life(place["spec"]["renewTime"], "renewal of");
    if (kind == "Event") take_event(place, own);
    has_heartbeats_ = has_heartbeats_ || own.is_alive || kind == dump_header_kind;
    if (!own.at || (latest_ && *own.at <= latest_->at)) return;
    latest_ = {*own.at, kind == dump_header_kind
                            ? "time of capstan dump"
                            : std::string(own.of) + " " + object_text(kind, metadata)};
}

std::optional<DumpMoment> DumpTime::moment() const {
    if (!latest_ || has_heartbeats_) return latest_;
    return DumpMoment{latest_->at + std::chrono::minutes(1),
                      "a minute after the " + latest_->because + "; the dump has no heartbeats"};
}

}  // namespace capstan::autoscaler::dump
