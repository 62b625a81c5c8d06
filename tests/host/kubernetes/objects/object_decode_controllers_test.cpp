#include "kubernetes/objects/object_decode.hpp"

#include <gtest/gtest.h>

#include "../decoded.hpp"

namespace capstan::kubernetes::objects {
namespace {

using engine::snapshot::ControllerObject;

std::optional<ControllerObject> decode_stateful_set(const JsonCursor& place) {
    return decode_controller(place, "StatefulSet");
}

TEST(ControllerDecode, ReadsIdentityAndReplicas) {
    const auto result = decoded(decode_stateful_set, R"({"kind":"StatefulSet",
        "metadata":{"namespace":"shop","name":"db","uid":"u"},"spec":{"replicas":3}})");
    EXPECT_TRUE(result.problems.empty());
    EXPECT_EQ(result.value,
              (ControllerObject{
                  .kind = "StatefulSet", .ns = "shop", .name = "db", .uid = "u", .replicas = 3}));
}

TEST(ControllerDecode, DistinguishesZeroReplicasFromMissingReplicas) {
    EXPECT_EQ(decoded(decode_stateful_set, R"({"metadata":{"name":"db"},"spec":{"replicas":0}})")
                  .value->replicas,
              0);
    EXPECT_EQ(decoded(decode_stateful_set, R"({"metadata":{"name":"db"}})").value->replicas,
              std::nullopt);
}

TEST(ControllerDecode, ReadsWhyPodsAreMissing) {
    const char* const quota = R"("conditions":[{"type":"Progressing","status":"True","message":"x"},
        {"type":"ReplicaFailure","status":"True","reason":"FailedCreate",
         "message":"exceeded quota: compute"}])";
    const char* const over = R"("conditions":[{"type":"ReplicaFailure","status":"False",
        "message":"exceeded quota: compute"}])";
    const char* const failed = R"("conditions":[{"type":"Failed","status":"True",
        "reason":"BackoffLimitExceeded"}])";
    const struct {
        const char *name, *kind, *spec;
        std::string status;
        std::optional<int> parallelism;
        const char* failure;
    } cases[] = {
        {"a quota", "ReplicaSet", R"("replicas":5)", quota, std::nullopt,
         "exceeded quota: compute"},
        {"the quota was raised", "ReplicaSet", R"("replicas":5)", over, std::nullopt, ""},
        {"a job", "Job", "", "", 1, ""},
        {"a parallel job", "Job", R"("parallelism":5,"completions":8)", R"("succeeded":2)", 5, ""},
        {"the last pods of it", "Job", R"("parallelism":5,"completions":8)", R"("succeeded":6)", 2,
         ""},
        {"a suspended job", "Job", R"("parallelism":5,"suspend":true)",
         R"("conditions":[{"type":"Suspended","status":"True","message":"Job suspended"}])", 0,
         "Job suspended"},
        {"a failed job", "Job", R"("parallelism":5)", failed, 0, "BackoffLimitExceeded"},
        {"a malformed job", "Job", R"("parallelism":"many")", "", 1, ""},
    };
    for (const auto& each : cases) {
        const auto result =
            decoded([&](const JsonCursor& place) { return decode_controller(place, each.kind); },
                    std::string(R"({"metadata":{"name":"x"},"spec":{)") + each.spec +
                        R"(},"status":{)" + each.status + "}}");
        ASSERT_TRUE(result.value) << each.name;
        EXPECT_EQ(result.value->parallelism, each.parallelism) << each.name;
        EXPECT_EQ(result.value->failure, each.failure) << each.name;
    }
}

TEST(ControllerDecode, ReadsTheSelectorOfEachKind) {
    const LabelSelector web{.match_labels = {{"app", "web"}}};
    const LabelSelector tier{.match_expressions = {{"tier", Operator::exists, {}}}};
    const struct {
        const char *name, *kind, *selector;
        std::optional<LabelSelector> expected;
        std::size_t problems = 0;
    } cases[] = {
        {"labels", "ReplicaSet", R"({"matchLabels":{"app":"web"}})", web},
        {"expressions", "StatefulSet",
         R"({"matchExpressions":[{"key":"tier","operator":"Exists"}]})", tier},
        {"an empty selector", "ReplicaSet", "{}", LabelSelector{}},
        {"no selector", "StatefulSet", "null", std::nullopt},
        {"a plain map", "ReplicationController", R"({"app":"web"})", web},
        {"not a plain map", "ReplicationController", R"({"matchLabels":{"app":"web"}})",
         std::nullopt, 1},
        {"a Job, whose selector is not read", "Job", R"({"matchLabels":{"app":"web"}})",
         std::nullopt},
        {"an unknown operator", "ReplicaSet",
         R"({"matchLabels":{"app":"web"},"matchExpressions":[{"key":"a","operator":"Like"}]})",
         std::nullopt, 1},
    };
    for (const auto& each : cases) {
        const auto result =
            decoded([&](const JsonCursor& place) { return decode_controller(place, each.kind); },
                    std::string(R"({"metadata":{"name":"x"},"spec":{"replicas":2,"selector":)") +
                        each.selector + "}}");
        ASSERT_TRUE(result.value) << each.name;
        EXPECT_EQ(result.value->replicas, 2) << each.name;
        EXPECT_EQ(result.value->selector, each.expected) << each.name;
        EXPECT_EQ(result.problems.size(), each.problems) << each.name;
    }
}

TEST(ControllerDecode, RejectsMalformedControllers) {
    for (const char* text : {R"({"spec":{"replicas":1}})", R"({"metadata":{"name":""}})",
                             R"({"metadata":{"name":"db"},"spec":{"replicas":-1}})",
                             R"({"metadata":{"name":"db"},"spec":{"replicas":"many"}})"}) {
        const auto result = decoded(decode_stateful_set, text);
        EXPECT_FALSE(result.value) << text;
        EXPECT_EQ(result.problems.size(), 1u) << text;
    }
}

}  // namespace
}  // namespace capstan::kubernetes::objects
