#include "autoscaler/dump/dump_time.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <capstan/time_text.hpp>

namespace capstan::autoscaler::dump {
namespace {

using Objects = std::vector<std::pair<const char*, const char*>>;

/// "2026-11-27T10:00:00Z: latest heartbeat of node n1"; empty: no time.
std::string moment_of(const Objects& objects) {
    DumpTime time;
    for (const auto& [kind, text] : objects) time.add(kind, boost::json::parse(text));
    const auto moment = time.moment();
    return moment ? format_rfc3339(moment->at) + ": " + moment->because : "";
}

/// The same with an early heartbeat.
std::string latest(Objects objects) {
    objects.emplace_back("Node", R"({"metadata":{"name":"alive"},"status":{"conditions":[
        {"lastHeartbeatTime":"2026-11-01T00:00:00Z"}]}})");
    return moment_of(objects);
}

TEST(DumpTime, IsTheLatestTimeOfAllObjects) {
    struct Case {
        const char* kind;
        const char* object;
        const char* latest;
    };
    for (const Case& c : {
             Case{"Pod", R"({"metadata":{"namespace":"shop","name":"p",
                  "creationTimestamp":"2026-11-27T10:00:00Z"}})",
                  "2026-11-27T10:00:00Z: creation of pod shop/p"},
             Case{"Node", R"({"metadata":{"name":"n","creationTimestamp":"2026-11-20T10:00:00Z"},
                  "status":{"conditions":[{"type":"Ready","status":"True",
                  "lastTransitionTime":"2026-11-20T10:01:00Z",
                  "lastHeartbeatTime":"2026-11-27T10:00:00Z"}]}})",
                  "2026-11-27T10:00:00Z: latest heartbeat of node n"},
             Case{"Job", R"({"metadata":{"namespace":"a","name":"j"},"status":{"conditions":[
                  {"lastTransitionTime":"2026-11-27T10:00:00Z"}],"startTime":"2026-11-26T10:00:00Z"}})",
                  "2026-11-27T10:00:00Z: latest condition of Job a/j"},
             Case{"Lease", R"({"metadata":{"namespace":"kube-node-lease","name":"n"},
                  "spec":{"renewTime":"2026-11-27T10:00:00.250000Z"}})",
                  "2026-11-27T10:00:00.25Z: renewal of Lease kube-node-lease/n"},
             Case{"Event", R"({"metadata":{"namespace":"shop","name":"e","creationTimestamp":
                  "2026-11-27T09:00:00Z"},"lastTimestamp":"2026-11-27T10:00:00Z"})",
                  "2026-11-27T10:00:00Z: time of Event shop/e"},
             Case{"Event", R"({"metadata":{"namespace":"shop","name":"e"},"eventTime":
                  "2026-11-27T09:00:00.000000Z","series":{"lastObservedTime":"2026-11-27T10:00:00.000000Z"}})",
                  "2026-11-27T10:00:00Z: time of Event shop/e"},
             Case{"Pod",
                  R"({"metadata":{"namespace":"shop","name":"p"},"status":{"containerStatuses":[
                  {"state":{"running":{"startedAt":"2026-11-27T10:00:00Z"}},
                   "lastState":{"terminated":{"finishedAt":"2026-11-27T09:59:00Z"}}}]}})",
                  "2026-11-27T10:00:00Z: latest container start in pod shop/p"},
             Case{"Pod",
                  R"({"metadata":{"namespace":"shop","name":"p"},"status":{"initContainerStatuses":[
                  {"state":{"terminated":{"startedAt":"2026-11-27T09:00:00Z",
                  "finishedAt":"2026-11-27T10:00:00Z"}}}]}})",
                  "2026-11-27T10:00:00Z: latest container end in pod shop/p"},
             Case{"ConfigMap", R"({"metadata":{"namespace":"a","name":"c","creationTimestamp":
                  "2026-11-20T10:00:00Z","managedFields":[{"time":"2026-11-27T10:00:00Z"}]}})",
                  "2026-11-27T10:00:00Z: last change of ConfigMap a/c"},
             Case{"CapstanDump", R"({"metadata":{"name":"dump","creationTimestamp":
                  "2026-11-27T10:00:00Z"}})",
                  "2026-11-27T10:00:00Z: time of capstan dump"},
             Case{"Pod", R"({"metadata":{"namespace":"a","name":"p","creationTimestamp":"soon"},
                  "status":{"startTime":7}})",
                  "2026-11-01T00:00:00Z: latest heartbeat of node alive"},
         }) {
        EXPECT_EQ(latest({{c.kind, c.object}}), c.latest) << c.object;
    }
}

TEST(DumpTime, TakesADeletionWhenItWasAskedFor) {
    const char* const ending = R"({"metadata":{"namespace":"a","name":"p",
        "creationTimestamp":"2026-11-27T10:00:00Z","deletionTimestamp":"2026-11-27T18:00:00Z",
        "deletionGracePeriodSeconds":21600}})";
    EXPECT_EQ(latest({{"Pod", ending}}), "2026-11-27T12:00:00Z: deletion of pod a/p");
    const char* const unknown = R"({"metadata":{"namespace":"a","name":"p",
        "creationTimestamp":"2026-11-27T10:00:00Z","deletionTimestamp":"2026-11-27T18:00:00Z"}})";
    EXPECT_EQ(latest({{"Pod", unknown}}), "2026-11-27T10:00:00Z: creation of pod a/p");
}

TEST(DumpTime, IsAMinuteLaterWithoutSignsOfLife) {
    const char* const node =
        R"({"metadata":{"name":"n","creationTimestamp":"2026-11-27T10:00:00Z"}})";
    const char* const lease = R"({"metadata":{"namespace":"kube-node-lease","name":"n"},
        "spec":{"renewTime":"2026-11-27T09:59:58Z"}})";
    const char* const header =
        R"({"metadata":{"name":"dump","creationTimestamp":"2026-11-27T09:59:59Z"}})";
    EXPECT_EQ(moment_of({{"Node", node}}),
              "2026-11-27T10:01:00Z: a minute after the creation of node n; the dump has no "
              "heartbeats");
    EXPECT_EQ(moment_of({{"Node", node}, {"Lease", lease}}),
              "2026-11-27T10:00:00Z: creation of node n");
    EXPECT_EQ(moment_of({{"CapstanDump", header}, {"Node", node}}),
              "2026-11-27T10:00:00Z: creation of node n");
    EXPECT_EQ(moment_of({}), "");
}

TEST(DumpTime, ComparesAllObjects) {
    const char* const early =
        R"({"metadata":{"name":"a","creationTimestamp":"2026-11-27T10:00:00Z"}})";
    const char* const late =
        R"({"metadata":{"name":"b","creationTimestamp":"2026-11-27T10:00:01Z"}})";
    EXPECT_EQ(latest({{"Node", early}, {"Node", late}}),
              "2026-11-27T10:00:01Z: creation of node b");
    EXPECT_EQ(latest({{"Node", late}, {"Node", early}}),
              "2026-11-27T10:00:01Z: creation of node b");
}

}  // namespace
}  // namespace capstan::autoscaler::dump
