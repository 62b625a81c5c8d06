// Stale watches of pods, nodes or disruption budgets. Either a pod is bound to a node that is about
// to be removed and the watch of pods does not deliver that in time, or a watch is refused, so that
// the daemon knows that its objects are stale.
#include <gtest/gtest.h>

#include <string>

#include <boost/json/serialize.hpp>

#include "daemon_fixture.hpp"

namespace capstan::faults {
namespace {

using simulator::api_server::ApiFault;
using namespace simulator;
using namespace simulator::api_server;
using namespace std::chrono_literals;

/// The faults last longer than the removal of web-2 takes.
constexpr Duration begins = 50s, ends = 4min, checked_at = 6min;
/// A few seconds before the daemon notices that a watch is silent since `begins`.
constexpr Duration before_silence_is_noticed = begins + 70s;

struct WatchFault {
    const char* name;
    void (*apply)(ApiFault& fault);
};
constexpr WatchFault watch_faults[] = {
    {"silent",
     [](ApiFault& fault) {
         fault.spoil = ResponseCorruption::silence;
         fault.after_events = 0;
     }},
    {"lagging by 20 s", [](ApiFault& fault) { fault.lag = 20s; }},
    {"lagging by 60 s", [](ApiFault& fault) { fault.lag = 60s; }},
    {"refused with 429", [](ApiFault& fault) { fault.status = 429; }},
    {"refused with 503", [](ApiFault& fault) { fault.status = 503; }},
};

bool has(DaemonFixture& fixture, const char* resource, const char* name) {
    const ResourceKind& kind = fixture.store().kind(resource);
    return fixture.store().find(kind, kind.namespaced ? space : "", name) != nullptr;
}

/// Whether web-2 exists and a scheduler may bind pods to it.
bool is_schedulable(DaemonFixture& fixture) {
    const ApiObject node = fixture.store().find(fixture.store().kind("nodes"), "", "web-2");
    return node != nullptr && json::serialize(*node).find("ToBeDeleted") == std::string::npos;
}

/// Binds a pod to web-2 that no drain may evict, because it has no controller.
void bind_bare_pod(DaemonFixture& fixture) {
    json::object pod{{"metadata", {{"name", "bare"}}}, {"spec", pod_spec(100)}};
    set_value(pod, "spec.nodeName", "web-2");
    set_value(pod, "status.phase", "Running");
    const auto made = fixture.store().create(fixture.store().kind("pods"), space, std::move(pod),
                                             {.part = ObjectPart::everything});
    ASSERT_TRUE(made) << made.error().message;
}

/// `bound`: when the pod is bound to web-2, unless the node is being removed.
void expect_pod_is_kept(const ApiFault& fault, Duration bound) {
    DaemonFixture fixture;
    bool was_bound = false;
    fixture.at(begins, [&] {
        fixture.server().faults().add(fault);
        fixture.server().cut_watches();
    });
    fixture.at(bound, [&] {
        was_bound = is_schedulable(fixture);
        if (was_bound) bind_bare_pod(fixture);
    });
    fixture.at(ends, [&] { fixture.server().faults().clear(); });
    fixture.run(checked_at, [&] {
        EXPECT_EQ(has(fixture, "nodes", "web-2"), was_bound);
        EXPECT_TRUE(has(fixture, "nodes", "web-3")) << "for p-1, independent of the stale view";
    });
}

TEST(StaleViewOfPods, RemovesNoNodeWithAPod) {
    for (const WatchFault& watch_fault : watch_faults) {
        ApiFault fault{.verb = "watch", .resource = "pods", .times = {}};
        watch_fault.apply(fault);
        for (Duration bound = begins + 1s; bound < 150s; bound += 3s) {
            SCOPED_TRACE(std::string(watch_fault.name) + ", bound after " +
                         std::to_string(bound / 1s) + " s");
            expect_pod_is_kept(fault, bound);
        }
    }
}

/// Whether the request lists the pods of all nodes, also as the initial events of a watch.
bool is_list_of_pods(const io::ServedRequest& request) {
    const auto has_text = [&](const char* text) {
        return request.target.find(text) != std::string::npos;
    };
    return has_text("/api/v1/pods?") &&
           (has_text("sendInitialEvents=true") || has_text("limit=500"));
}

TEST(StaleViewOfPods, IsListedAgainAfterARecheckFoundAnUnknownPod) {
    DaemonFixture fixture;
    int lists = 0, marked = 0;
    fixture.at(begins, [&] {
        fixture.server().faults().add({.verb = "watch",
                                       .resource = "pods",
                                       .spoil = ResponseCorruption::silence,
                                       .after_events = 0,
                                       .times = {}});
        fixture.server().cut_watches();
    });
    fixture.at(begins + 10s, [&] {
        bind_bare_pod(fixture);
        fixture.on_request = [&](const io::ServedRequest& request) {
            if (is_list_of_pods(request)) ++lists;
        };
    });
    fixture.run(before_silence_is_noticed, [&] { marked = fixture.record().times_marked(); });
    EXPECT_GE(lists, 1);
    EXPECT_EQ(marked, 0);
}

/// A client does not notice at once that a watch is silent or lags, but it knows that a watch is
/// refused.
struct RefusedWatches : ::testing::TestWithParam<const char*> {};

TEST_P(RefusedWatches, PreventTaintsUntilTheViewIsSynced) {
    for (const WatchFault& watch_fault : watch_faults) {
        ApiFault fault{.verb = "watch", .resource = GetParam(), .times = {}};
        watch_fault.apply(fault);
        if (fault.status == 0) continue;
        SCOPED_TRACE(watch_fault.name);
        DaemonFixture fixture;
        int marked = -1;
        fixture.at(begins, [&] {
            fixture.server().faults().add(fault);
            fixture.server().cut_watches();
        });
        fixture.at(ends, [&] {
            marked = fixture.record().times_marked();
            fixture.server().faults().clear();
        });
        fixture.run(2 * ends, [&] {
            EXPECT_EQ(marked, 0);
            EXPECT_EQ(fixture.record().times_marked(), 1);
            EXPECT_FALSE(has(fixture, "nodes", "web-2")) << "removed once the view is synced";
            EXPECT_TRUE(has(fixture, "nodes", "web-3")) << "for p-1, independent of the stale view";
        });
    }
}

INSTANTIATE_TEST_SUITE_P(Resource, RefusedWatches,
                         ::testing::Values("pods", "nodes", "poddisruptionbudgets.policy"),
                         [](const auto& each) {
                             const std::string resource = each.param;
                             return resource.substr(0, resource.find('.'));
                         });

}  // namespace
}  // namespace capstan::faults
