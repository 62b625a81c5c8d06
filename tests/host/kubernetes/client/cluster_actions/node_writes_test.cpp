#include "kubernetes/client/cluster_actions/node_writes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../scripted_api.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;
using boost::json::parse;

constexpr Time now = Time(1'700'000'000s);  // 2023-11-14T22:13:20Z

/// A node with foreign taints and unknown fields.
boost::json::object node(std::string_view version = "7") {
    auto out = parse(R"({"kind":"Node","metadata":{"name":"n1","annotations":{"theirs":"1"},
        "managedFields":[{"manager":"kubelet"}]},
        "spec":{"podCIDR":"10.0.0.0/24","taints":[
          {"key":"dedicated","value":"gpu","effect":"NoSchedule"},
          {"key":"gone","effect":"NoExecute","timeAdded":"2020-01-01T00:00:00Z","new":7}]}})")
                   .as_object();
    out["metadata"].as_object()["resourceVersion"] = version;
    return out;
}
Answer read(std::string_view version = "7") {
    return {.body = boost::json::serialize(node(version))};
}

struct PatchCase {
    const char* what;
    engine::NodeChange change;
    const char* patch;  ///< without the resource version; empty: nothing to write
};

TEST(NodePatch, ContainsDifferencesAndAllTaintsIfOneDiffers) {
    const Taint mark{"ToBeDeleted", "17", Effect::no_schedule};
    const Taint execute{"gone", "", Effect::no_execute};
    const std::vector<PatchCase> cases{
        {"no change", {}, ""},
        {"one more taint",
         {.set_taints = {mark}},
         R"({"spec":{"taints":[{"key":"dedicated","value":"gpu","effect":"NoSchedule"},
          {"key":"gone","effect":"NoExecute","timeAdded":"2020-01-01T00:00:00Z","new":7},
          {"key":"ToBeDeleted","effect":"NoSchedule","value":"17"}]}})"},
        {"an existing taint keeps its time and unknown fields", {.set_taints = {execute}}, ""},
        {"a taint with another effect takes the place of the old one",
         {.set_taints = {{"gone", "", Effect::no_schedule}}},
         R"({"spec":{"taints":[{"key":"dedicated","value":"gpu","effect":"NoSchedule"},
          {"key":"gone","effect":"NoSchedule"}]}})"},
        {"another value of NoExecute resets its time",
         {.set_taints = {{"gone", "x", Effect::no_execute}}},
         R"({"spec":{"taints":[{"key":"dedicated","value":"gpu","effect":"NoSchedule"},
          {"key":"gone","effect":"NoExecute","value":"x","timeAdded":"2023-11-14T22:13:20Z"}]}})"},
        {"one taint is removed",
         {.drop_taints = {"gone", "missing"}},
         R"({"spec":{"taints":[{"key":"dedicated","value":"gpu","effect":"NoSchedule"}]}})"},
        {"all taints are removed",
         {.drop_taints = {"gone", "dedicated"}},
         R"({"spec":{"taints":null}})"},
        {"cordon", {.unschedulable = true}, R"({"spec":{"unschedulable":true}})"},
        {"not cordoned already", {.unschedulable = false}, ""},
        {"annotations",
         {.annotations = {{"theirs", std::nullopt}, {"missing", std::nullopt}, {"ours", ""}}},
         R"({"metadata":{"annotations":{"ours":"","theirs":null}}})"},
        {"an existing annotation", {.annotations = {{"theirs", "1"}}}, ""},
    };
    for (const PatchCase& each : cases) {
        SCOPED_TRACE(each.what);
        const auto patch = find_node_patch(node(), each.change, now);
        if (std::string_view(each.patch).empty()) {
            EXPECT_FALSE(patch) << boost::json::serialize(*patch);
            continue;
        }
        auto expected = parse(each.patch).as_object();
        apply_merge_patch(expected, parse(R"({"metadata":{"resourceVersion":"7"}})").as_object());
        ASSERT_TRUE(patch);
        EXPECT_EQ(*patch, expected) << boost::json::serialize(*patch);
    }
}

TEST(NodePatch, UncordonsANodeWithoutTaints) {
    const auto bare =
        parse(R"({"metadata":{"resourceVersion":"1"},"spec":{"unschedulable":true}})");
    const auto patch = find_node_patch(
        bare.as_object(),
        {.set_taints = {{"a", "", Effect::prefer_no_schedule}}, .unschedulable = false}, now);
    EXPECT_EQ(*patch, parse(R"({"metadata":{"resourceVersion":"1"},"spec":{"unschedulable":null,
        "taints":[{"key":"a","effect":"PreferNoSchedule"}]}})"));
}

struct NodeWritesTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>(now)};
    ScriptedApi api{loop};
    std::vector<std::string> refusals;
    std::vector<std::string> outcomes;
    std::optional<NodeWrites> writes{
        std::in_place, api, loop, NodeWrites::Options{.on_update_instead = [this](const Error& e) {
            refusals.push_back(e.message);
        }}};

    void change(engine::NodeChange what) {
        what.node = "n1";
        writes->change(what, [this](Result<void> result) {
            outcomes.push_back(result ? "done" : std::string(name_of(result.error().code)));
        });
    }
    void mark() { change({.set_taints = {{"mark", "", Effect::no_schedule}}}); }
    void next(Answer answer) {
        loop.advance(1s);
        api.answer(std::move(answer));
    }
};

TEST_F(NodeWritesTest, PatchesTheVersionThatWasRead) {
    mark();
    EXPECT_EQ(api.first().line(), "GET /api/v1/nodes/n1");
    next(read());
    EXPECT_EQ(api.first().line(), "PATCH /api/v1/nodes/n1");
    EXPECT_EQ(api.first().request.content_type, "application/merge-patch+json");
    EXPECT_EQ(api.first().json().at_pointer("/metadata/resourceVersion"), "7");
    next({});
    EXPECT_EQ(outcomes, std::vector<std::string>{"done"});
}

TEST_F(NodeWritesTest, SkipsAWriteWithoutChanges) {
    change({.drop_taints = {"mark"}, .unschedulable = false, .annotations = {{"theirs", "1"}}});
    next(read());
    EXPECT_EQ(api.open_count(), 0u);
    EXPECT_EQ(outcomes, std::vector<std::string>{"done"});
}

TEST_F(NodeWritesTest, KeepsATaintThatWasSetInTheMeantime) {
    mark();
    next(read());
    next(refusal(409, "Conflict"));
    auto changed = node("8");
    changed["spec"].as_object()["taints"].as_array().emplace_back(
        boost::json::object{{"key", "theirs"}, {"effect", "NoExecute"}});
    next({.body = boost::json::serialize(changed)});
    const auto patch = api.first().json();
    EXPECT_EQ(patch.at_pointer("/metadata/resourceVersion"), "8");
    EXPECT_EQ(patch.at_pointer("/spec/taints/2/key"), "theirs");
    EXPECT_EQ(patch.at_pointer("/spec/taints/3/key"), "mark");
    next({});
    EXPECT_EQ(outcomes, std::vector<std::string>{"done"});
}

TEST_F(NodeWritesTest, GivesUpAfterFiveConflicts) {
    mark();
    for (int i = 0; i < 5; ++i) {
        next(read());
        next(refusal(409, "Conflict", "the object has been modified"));
    }
    loop.advance(1h);
    EXPECT_EQ(api.asked().size(), 10u);
    EXPECT_EQ(outcomes, std::vector<std::string>{"conflict"});
}

TEST_F(NodeWritesTest, FallsBackToUpdateIfPatchIsForbiddenAndReportsItOnce) {
    mark();
    next(read());
    next(refusal(403, "Forbidden", "cannot patch nodes"));
    EXPECT_EQ(api.first().line(), "PUT /api/v1/nodes/n1");
    const auto put = api.first().json();
    EXPECT_EQ(put.at_pointer("/metadata/managedFields/0/manager"), "kubelet");
    EXPECT_EQ(put.at_pointer("/metadata/resourceVersion"), "7");
    EXPECT_EQ(put.at_pointer("/spec/podCIDR"), "10.0.0.0/24");
    EXPECT_EQ(put.at_pointer("/spec/taints/1/new"), 7);
    EXPECT_EQ(put.at_pointer("/spec/taints/2/key"), "mark");
    next({});
    mark();
    next(read("9"));
    EXPECT_EQ(api.first().line(), "PUT /api/v1/nodes/n1");
    next(refusal(409, "Conflict"));
    next(read("10"));
    EXPECT_EQ(api.first().json().at_pointer("/metadata/resourceVersion"), "10");
    next({});
    EXPECT_EQ(outcomes, (std::vector<std::string>{"done", "done"}));
    ASSERT_EQ(refusals.size(), 1u);
    EXPECT_NE(refusals.front().find("cannot patch nodes"), std::string::npos);
}

TEST_F(NodeWritesTest, PatchesAgainAfterAChangeThatIsForbidden) {
    mark();
    next(read());
    next(refusal(403, "Forbidden", "denied by a webhook"));
    next(refusal(403, "Forbidden", "denied by a webhook"));
    mark();
    next(read());
    EXPECT_EQ(api.first().line(), "PATCH /api/v1/nodes/n1");
    EXPECT_EQ(outcomes, std::vector<std::string>{"permission"});
    EXPECT_TRUE(refusals.empty());
}

TEST_F(NodeWritesTest, ReturnsOtherErrorsOfTheServer) {
    const std::vector<std::pair<int, std::string>> cases{
        {400, "invalid_argument"}, {401, "unauthenticated"},  {404, "not_found"},
        {415, "unsupported"},      {422, "invalid_argument"}, {429, "throttled"},
        {500, "unavailable"},      {503, "unavailable"},
    };
    for (const auto& [status, outcome] : cases) {
        for (const bool at_write : {false, true}) {
            SCOPED_TRACE(std::to_string(status) + (at_write ? " PATCH" : " GET"));
            outcomes.clear();
            mark();
            if (at_write) next(read());
            next(refusal(status, "Whatever"));
            EXPECT_EQ(outcomes, std::vector<std::string>{outcome});
            EXPECT_EQ(api.open_count(), 0u);
        }
    }
}

TEST_F(NodeWritesTest, RejectsResponsesThatAreNotFromAnApiServer) {
    mark();
    next({.body = "<html>"});
    EXPECT_EQ(outcomes, std::vector<std::string>{"unavailable"});
}

TEST_F(NodeWritesTest, StopsAtTheDeadlineOfTheChange) {
    mark();
    loop.advance(29s);
    api.answer(read());
    EXPECT_LE(api.first().request.timeout, 1s);
    loop.advance(999ms);
    api.answer(refusal(409, "Conflict"));
    loop.advance(1h);
    EXPECT_EQ(outcomes, std::vector<std::string>{"conflict"});
    EXPECT_EQ(api.open_count(), 0u);
}

TEST_F(NodeWritesTest, CallsNoCallbackAfterItsEnd) {
    mark();
    mark();
    api.answer(read());
    writes.reset();
    loop.advance(1h);
    EXPECT_EQ(api.open_count(), 0u);
    EXPECT_TRUE(outcomes.empty());
}

}  // namespace
}  // namespace capstan::kubernetes::client
