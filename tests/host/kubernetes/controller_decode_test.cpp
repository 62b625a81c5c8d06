#include "kubernetes/controller_decode.hpp"

#include <gtest/gtest.h>

#include "decoded.hpp"

namespace capstan::kubernetes {
namespace {

using engine::ControllerObject;

std::optional<ControllerObject> decode_stateful_set(const JsonPlace& place) {
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
