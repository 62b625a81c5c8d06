#include "kubernetes/object_decode.hpp"

#include <gtest/gtest.h>

#include "decoded.hpp"

namespace capstan::kubernetes {
namespace {

using engine::snapshot::ControllerObject;

std::optional<ControllerObject> decode_stateful_set(const JsonCursor& place) {
    return decode_controller(place, "StatefulSet");
}

TEST(ControllerDecode, ReadsWhichItIsAndHowManyPodsItWants) {
    const auto answer = decoded(decode_stateful_set, R"({"kind":"StatefulSet",
        "metadata":{"namespace":"shop","name":"db","uid":"u"},"spec":{"replicas":3}})");
    EXPECT_TRUE(answer.complaints.empty());
    EXPECT_EQ(answer.value,
              (ControllerObject{
                  .kind = "StatefulSet", .ns = "shop", .name = "db", .uid = "u", .replicas = 3}));
}

TEST(ControllerDecode, TellsNoReplicasFromReplicasThatAreNotSaid) {
    EXPECT_EQ(decoded(decode_stateful_set, R"({"metadata":{"name":"db"},"spec":{"replicas":0}})")
                  .value->replicas,
              0);
    EXPECT_EQ(decoded(decode_stateful_set, R"({"metadata":{"name":"db"}})").value->replicas,
              std::nullopt);
}

TEST(ControllerDecode, ReadsTheSelectorAsItsKindHasIt) {
    const LabelSelector web{.match_labels = {{"app", "web"}}};
    const LabelSelector tier{.match_expressions = {{"tier", Operator::exists, {}}}};
    const struct {
        const char *name, *kind, *selector;
        std::optional<LabelSelector> expected;
        std::size_t complaints = 0;
    } cases[] = {
        {"labels", "ReplicaSet", R"({"matchLabels":{"app":"web"}})", web},
        {"expressions", "StatefulSet",
         R"({"matchExpressions":[{"key":"tier","operator":"Exists"}]})", tier},
        {"the empty one", "ReplicaSet", "{}", LabelSelector{}},
        {"none", "StatefulSet", "null", std::nullopt},
        {"a plain map", "ReplicationController", R"({"app":"web"})", web},
        {"no plain map", "ReplicationController", R"({"matchLabels":{"app":"web"}})", std::nullopt,
         1},
        {"of a job, which nobody asks for", "Job", R"({"matchLabels":{"app":"web"}})",
         std::nullopt},
        {"an unknown operator", "ReplicaSet",
         R"({"matchLabels":{"app":"web"},"matchExpressions":[{"key":"a","operator":"Like"}]})",
         std::nullopt, 1},
    };
    for (const auto& each : cases) {
        const auto answer =
            decoded([&](const JsonCursor& place) { return decode_controller(place, each.kind); },
                    std::string(R"({"metadata":{"name":"x"},"spec":{"replicas":2,"selector":)") +
                        each.selector + "}}");
        ASSERT_TRUE(answer.value) << each.name;
        EXPECT_EQ(answer.value->replicas, 2) << each.name;
        EXPECT_EQ(answer.value->selector, each.expected) << each.name;
        EXPECT_EQ(answer.complaints.size(), each.complaints) << each.name;
    }
}

TEST(ControllerDecode, IsNothingWhereItCannotBeRead) {
    for (const char* text : {R"({"spec":{"replicas":1}})", R"({"metadata":{"name":""}})",
                             R"({"metadata":{"name":"db"},"spec":{"replicas":-1}})",
                             R"({"metadata":{"name":"db"},"spec":{"replicas":"many"}})"}) {
        const auto answer = decoded(decode_stateful_set, text);
        EXPECT_FALSE(answer.value) << text;
        EXPECT_EQ(answer.complaints.size(), 1u) << text;
    }
}

}  // namespace
}  // namespace capstan::kubernetes
