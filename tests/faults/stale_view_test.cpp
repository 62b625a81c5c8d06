// A view of pods, nodes or disruption budgets that is older than the cluster: a pod is bound to the
// node that is about to be removed, and no watch tells of it in time; or the daemon knows that it
// does not see.
#include <gtest/gtest.h>

#include <string>

#include <boost/json/serialize.hpp>

#include "stage.hpp"

namespace capstan::faults {
namespace {

using simulation::api_server::ApiFault;
using namespace simulation;
using namespace simulation::api_server;
using namespace std::chrono_literals;

/// Longer than the removal of web-2 takes.
constexpr Duration begins = 50s, ends = 4min, looked_at = 6min;
/// A watch that fell silent when the trouble began is noticed a few seconds later.
constexpr Duration before_silence_shows = begins + 70s;

struct Trouble {
    const char* name;
    void (*strike)(ApiFault& fault);
};
constexpr Trouble troubles[] = {
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

bool has(Stage& stage, const char* resource, const char* name) {
    const ResourceKind& kind = stage.store().kind(resource);
    return stage.store().find(kind, kind.namespaced ? space : "", name) != nullptr;
}

/// Whether the node is there, and a scheduler might take it.
bool is_open(Stage& stage) {
    const ApiObject node = stage.store().find(stage.store().kind("nodes"), "", "web-2");
    return node != nullptr && json::serialize(*node).find("ToBeDeleted") == std::string::npos;
}

/// Has no controller, so no drain may move it.
void bind_a_bare_pod(Stage& stage) {
    json::object pod = pod_object("bare", 1, 100);
    pod["metadata"].as_object().erase("ownerReferences");
    set_value(pod, "spec.nodeName", "web-2");
    set_value(pod, "status.phase", "Running");
    const auto made = stage.store().create(stage.store().kind("pods"), space, std::move(pod),
                                           {.part = ObjectPart::everything});
    ASSERT_TRUE(made) << made.error().message;
}

/// `bound`: when the pod comes to web-2, unless that node is on its way out.
void expect_the_pod_to_stay(const ApiFault& fault, Duration bound) {
    Stage stage;
    bool was_bound = false;
    stage.at(begins, [&] {
        stage.server().faults().add(fault);
        stage.server().cut_watches();
    });
    stage.at(bound, [&] {
        was_bound = is_open(stage);
        if (was_bound) bind_a_bare_pod(stage);
    });
    stage.at(ends, [&] { stage.server().faults().clear(); });
    stage.run(looked_at, [&] {
        EXPECT_EQ(has(stage, "nodes", "web-2"), was_bound);
        EXPECT_TRUE(has(stage, "nodes", "web-3")) << "for p-1, whatever is with the others";
    });
}

TEST(StaleViewOfPods, TakesNoNodeFromUnderAPod) {
    for (const Trouble& trouble : troubles) {
        ApiFault fault{.verb = "watch", .resource = "pods", .times = {}};
        trouble.strike(fault);
        for (Duration bound = begins + 1s; bound < 150s; bound += 3s) {
            SCOPED_TRACE(std::string(trouble.name) + ", bound after " + std::to_string(bound / 1s) +
                         " s");
            expect_the_pod_to_stay(fault, bound);
        }
    }
}

/// Lists of all pods, be they told as initial events; a look at a node is none.
bool is_list_of_pods(const io::ServedRequest& request) {
    const auto has_text = [&](const char* text) {
        return request.target.find(text) != std::string::npos;
    };
    return has_text("/api/v1/pods?") &&
           (has_text("sendInitialEvents=true") || has_text("limit=500"));
}

TEST(StaleViewOfPods, IsListedAnewOnceALookFindsAPodThatItLacks) {
    Stage stage;
    int lists = 0, marked = 0;
    stage.at(begins, [&] {
        stage.server().faults().add({.verb = "watch",
                                     .resource = "pods",
                                     .spoil = ResponseCorruption::silence,
                                     .after_events = 0,
                                     .times = {}});
        stage.server().cut_watches();
    });
    stage.at(begins + 10s, [&] {
        bind_a_bare_pod(stage);
        stage.on_request = [&](const io::ServedRequest& request) {
            if (is_list_of_pods(request)) ++lists;
        };
    });
    stage.run(before_silence_shows, [&] { marked = stage.record().times_marked(); });
    EXPECT_GE(lists, 1);
    EXPECT_EQ(marked, 0);
}

/// A watch that is silent or late is open for all that can be known; one that is refused is not.
struct RefusedViews : ::testing::TestWithParam<const char*> {};

TEST_P(RefusedViews, HaveNoNodeMarkedUntilTheyAreBack) {
    for (const Trouble& trouble : troubles) {
        ApiFault fault{.verb = "watch", .resource = GetParam(), .times = {}};
        trouble.strike(fault);
        if (fault.status == 0) continue;
        SCOPED_TRACE(trouble.name);
        Stage stage;
        int marked = -1;
        stage.at(begins, [&] {
            stage.server().faults().add(fault);
            stage.server().cut_watches();
        });
        stage.at(ends, [&] {
            marked = stage.record().times_marked();
            stage.server().faults().clear();
        });
        stage.run(2 * ends, [&] {
            EXPECT_EQ(marked, 0);
            EXPECT_EQ(stage.record().times_marked(), 1);
            EXPECT_FALSE(has(stage, "nodes", "web-2")) << "it goes once it is seen again";
            EXPECT_TRUE(has(stage, "nodes", "web-3")) << "for p-1, whatever is with the others";
        });
    }
}

INSTANTIATE_TEST_SUITE_P(Of, RefusedViews,
                         ::testing::Values("pods", "nodes", "poddisruptionbudgets.policy"),
                         [](const auto& each) {
                             const std::string resource = each.param;
                             return resource.substr(0, resource.find('.'));
                         });

}  // namespace
}  // namespace capstan::faults
