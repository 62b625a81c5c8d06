#include "simulator/api_server/managed_fields.hpp"

#include "api_server_fixture.hpp"

namespace capstan::simulator::api_server {
namespace {

using ::testing::HasSubstr;

TEST(FieldSets, ContainMembersAndListElementsByKey) {
    const json::object object = parsed(R"({"kind":"Pod","metadata":{"name":"p","labels":{"a":"b"},
        "finalizers":["f"]},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{}]}})");
    EXPECT_EQ(fields_of(object, false),
              parsed(R"({"f:metadata":{"f:labels":{"f:a":{}},"f:finalizers":{"v:\"f\"":{}}},
        "f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{"f:name":{},"f:image":{},".":{}}},
        "f:tolerations":{}}})"));
}

TEST(FieldSets, SupportUnionDifferenceAndIntersection) {
    struct Case {
        const char* a;
        const char* b;
        const char* both;
        const char* rest;
    };
    const Case cases[] = {
        {R"({"f:a":{},"f:b":{}})", R"({"f:b":{}})", R"({"f:b":{}})", R"({"f:a":{}})"},
        {R"({"f:a":{"f:x":{},"f:y":{}}})", R"({"f:a":{"f:y":{}}})", R"({"f:a":{"f:y":{}}})",
         R"({"f:a":{"f:x":{}}})"},
        {R"({"f:a":{}})", R"({"f:b":{}})", "{}", R"({"f:a":{}})"},
        {R"({"f:a":{}})", R"({"f:a":{}})", R"({"f:a":{}})", "{}"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(intersect(parsed(c.a), parsed(c.b)), parsed(c.both));
        EXPECT_EQ(subtract(parsed(c.a), parsed(c.b)), parsed(c.rest));
        FieldSet all = parsed(c.rest);
        unite(all, parsed(c.both));
        EXPECT_EQ(all, parsed(c.a));
    }
}

struct ServerSideApply : ApiServerTest {
    const std::string path = "/api/v1/namespaces/default/replicationcontrollers/d";

    Response apply(const std::string& manager, const std::string& spec, bool force = false) {
        return send(
            "PATCH", path + "?fieldManager=" + manager + "&force=" + (force ? "true" : "false"),
            R"({"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"d"},"spec":)" +
                spec + "}",
            "application/apply-patch+yaml");
    }
};

TEST_F(ServerSideApply, CreatesTheObjectAndRecordsTheManager) {
    EXPECT_EQ(apply("me", R"({"replicas":2})").status, 201);
    const Response again = apply("me", R"({"replicas":3})");
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(integer_at(again.body, "spec.replicas"), 3);
    const json::object& entry =
        find_array(again.body, "metadata.managedFields")->front().as_object();
    EXPECT_EQ(text_at(entry, "manager"), "me");
    EXPECT_EQ(text_at(entry, "operation"), "Apply");
    EXPECT_EQ(entry.at("fieldsV1"), parsed(R"({"f:spec":{"f:replicas":{}}})"));
}

TEST_F(ServerSideApply, ChangesNothingIfAppliedAgain) {
    apply("me", R"({"replicas":2})");
    const std::uint64_t before = store.revision();
    EXPECT_EQ(apply("me", R"({"replicas":2})").status, 200);
    EXPECT_EQ(store.revision(), before);
}

TEST_F(ServerSideApply, RejectsFieldsOfOtherManagersUnlessForced) {
    apply("me", R"({"replicas":2})");
    const Response refused = apply("you", R"({"replicas":5})");
    EXPECT_EQ(refused.status, 409);
    EXPECT_THAT(std::string(text_at(refused.body, "message")),
                HasSubstr("conflict with \"me\" using v1: .spec.replicas"));
    EXPECT_EQ(apply("you", R"({"replicas":2})").status, 200) << "both managers own an equal value";
    EXPECT_EQ(apply("you", R"({"replicas":5})", true).status, 200);
    EXPECT_EQ(apply("me", R"({"replicas":2})").status, 409) << "owned by the other manager now";
}

TEST_F(ServerSideApply, DetectsConflictsWithUpdates) {
    apply("me", R"({"replicas":2,"paused":true})");
    send("PATCH", path + "?fieldManager=editor", R"({"spec":{"replicas":9}})",
         "application/merge-patch+json");
    const Response refused = apply("me", R"({"replicas":2,"paused":true})");
    EXPECT_EQ(refused.status, 409);
    EXPECT_THAT(std::string(text_at(refused.body, "message")), HasSubstr("editor"));
}

TEST_F(ServerSideApply, RemovesFieldsThatAreNoLongerApplied) {
    apply("me", R"({"paused":true,"template":{"spec":{"containers":[{"name":"a","image":"1"},
        {"name":"b","image":"2"}]}}})");
    const Response response =
        apply("me", R"({"template":{"spec":{"containers":[{"name":"b","image":"3"}]}}})");
    EXPECT_FALSE(is_true_at(response.body, "spec.paused"));
    const json::array* containers = find_array(response.body, "spec.template.spec.containers");
    ASSERT_EQ(containers->size(), 1u);
    EXPECT_EQ(text_at(containers->front().as_object(), "image"), "3");
}

TEST_F(ServerSideApply, AcceptsMalformedManagedFields) {
    apply("me", R"({"paused":true})");
    send("PATCH", path, R"([{"op":"replace","path":"/metadata/managedFields","value":[
        {"manager":"me","operation":"Apply","fieldsV1":{"f:spec":{"f:template":{"k:{":{}},
        "f:containers":{"k:nonsense":{}}}}}]}])",
         "application/json-patch+json");
    EXPECT_EQ(apply("me", R"({"paused":false})", true).status, 200);
}

TEST_F(ServerSideApply, RequiresAFieldManager) {
    EXPECT_EQ(send("PATCH", path, "{}", "application/apply-patch+yaml").status, 422);
}

}  // namespace
}  // namespace capstan::simulator::api_server
