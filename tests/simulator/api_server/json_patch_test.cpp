#include "simulator/api_server/json_patch.hpp"
#include "api_server_fixture.hpp"

namespace capstan::simulator::api_server {
namespace {

struct Case {
    const char* what;
    const char* before;
    const char* patch;
    const char* after;  ///< NULL: rejected
};

TEST(JsonPatch, AppliesEachOperation) {
    const Case cases[] = {
        {"adds a member", R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])",
         R"({"a":1,"b":2})"},
        {"adds in a list", R"({"l":[1,3]})", R"([{"op":"add","path":"/l/1","value":2}])",
         R"({"l":[1,2,3]})"},
        {"adds at the end of a list", R"({"l":[1]})", R"([{"op":"add","path":"/l/-","value":2}])",
         R"({"l":[1,2]})"},
        {"refuses an index beyond the end", R"({"l":[1]})",
         R"([{"op":"add","path":"/l/2","value":2}])", nullptr},
        {"removes", R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
        {"refuses to remove a missing member", R"({})", R"([{"op":"remove","path":"/a"}])",
         nullptr},
        {"replaces", R"({"a":1})", R"([{"op":"replace","path":"/a","value":2}])", R"({"a":2})"},
        {"refuses to replace a missing member", R"({})",
         R"([{"op":"replace","path":"/a","value":2}])", nullptr},
        {"moves", R"({"a":1})", R"([{"op":"move","from":"/a","path":"/b"}])", R"({"b":1})"},
        {"copies", R"({"a":1})", R"([{"op":"copy","from":"/a","path":"/b"}])", R"({"a":1,"b":1})"},
        {"tests", R"({"a":1})", R"([{"op":"test","path":"/a","value":1}])", R"({"a":1})"},
        {"refuses a test that fails", R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])",
         nullptr},
        {"reads escapes", R"({"a/b":1,"c~d":2})", R"([{"op":"remove","path":"/a~1b"},
          {"op":"remove","path":"/c~0d"}])",
         R"({})"},
        {"refuses other operations", R"({})", R"([{"op":"grow","path":"/a","value":1}])", nullptr},
    };
    for (const Case& c : cases) {
        json::value document = json::parse(c.before);
        const auto done = apply_json_patch(document, json::parse(c.patch).as_array());
        EXPECT_EQ(done.has_value(), c.after != nullptr) << c.what;
        if (c.after != nullptr) {
            EXPECT_EQ(document, json::parse(c.after)) << c.what;
        } else if (!done) {
            EXPECT_EQ(done.error().code, 422) << c.what;
        }
    }
}

TEST(MergePatch, MergesObjectsAndReplacesOtherValues) {
    const Case cases[] = {
        {"null removes", R"({"a":1,"b":2})", R"({"a":null})", R"({"b":2})"},
        {"objects merge", R"({"o":{"a":1}})", R"({"o":{"b":2}})", R"({"o":{"a":1,"b":2}})"},
        {"lists are replaced", R"({"l":[1,2]})", R"({"l":[3]})", R"({"l":[3]})"},
        {"nulls in a new object are dropped", R"({})", R"({"o":{"a":null,"b":1}})",
         R"({"o":{"b":1}})"},
        {"an object replaces a text", R"({"a":"x"})", R"({"a":{"b":1}})", R"({"a":{"b":1}})"},
    };
    for (const Case& c : cases) {
        json::value document = json::parse(c.before);
        apply_merge_patch(document, json::parse(c.patch));
        EXPECT_EQ(document, json::parse(c.after)) << c.what;
    }
}

TEST(StrategicPatch, MergesListsByTheirMergeKey) {
    const Case cases[] = {
        {"a container by its name", R"({"spec":{"containers":[{"name":"a","image":"1"},
          {"name":"b","image":"2"}]}})",
         R"({"spec":{"containers":[{"name":"b","image":"3"}]}})",
         R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"3"}]}})"},
        {"a new container comes last", R"({"containers":[{"name":"a"}]})",
         R"({"containers":[{"name":"c"}]})", R"({"containers":[{"name":"a"},{"name":"c"}]})"},
        {"delete by its key", R"({"containers":[{"name":"a"},{"name":"b"}]})",
         R"({"containers":[{"$patch":"delete","name":"a"}]})", R"({"containers":[{"name":"b"}]})"},
        {"replace a whole list", R"({"containers":[{"name":"a"}]})",
         R"({"containers":[{"$patch":"replace"},{"name":"z"}]})",
         R"({"containers":[{"name":"z"}]})"},
        {"order", R"({"containers":[{"name":"a"},{"name":"b"}]})",
         R"({"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]})",
         R"({"containers":[{"name":"b"},{"name":"a"}]})"},
        {"taints have no merge key", R"({"spec":{"taints":[{"key":"a"}]}})",
         R"({"spec":{"taints":[{"key":"b"}]}})", R"({"spec":{"taints":[{"key":"b"}]}})"},
        {"null removes a list", R"({"spec":{"taints":[{"key":"a"}]}})",
         R"({"spec":{"taints":null}})", R"({"spec":{}})"},
        {"conditions by their type", R"({"status":{"conditions":[{"type":"Ready","status":"True"},
          {"type":"X","status":"True"}]}})",
         R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})",
         R"({"status":{"conditions":[{"type":"Ready","status":"False"},
          {"type":"X","status":"True"}]}})"},
        {"finalizers are a set", R"({"metadata":{"finalizers":["a"]}})",
         R"({"metadata":{"finalizers":["a","b"]}})", R"({"metadata":{"finalizers":["a","b"]}})"},
        {"a single finalizer is deleted", R"({"metadata":{"finalizers":["a","b"]}})",
         R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})",
         R"({"metadata":{"finalizers":["b"]}})"},
        {"keys that are retained", R"({"strategy":{"type":"RollingUpdate","rollingUpdate":{}}})",
         R"({"strategy":{"$retainKeys":["type"],"type":"Recreate"}})",
         R"({"strategy":{"type":"Recreate"}})"},
        {"an object replaced", R"({"o":{"a":1}})", R"({"o":{"$patch":"replace","b":2}})",
         R"({"o":{"b":2}})"},
        {"an object deleted", R"({"o":{"a":1}})", R"({"o":{"$patch":"delete"}})", R"({})"},
        {"a service's ports by their number", R"({"spec":{"ports":[{"port":1,"name":"a"}]}})",
         R"({"spec":{"ports":[{"port":1,"name":"b"}]}})",
         R"({"spec":{"ports":[{"port":1,"name":"b"}]}})"},
    };
    for (const Case& c : cases) {
        json::object document = parsed(c.before);
        apply_strategic_patch(document, parsed(c.patch));
        EXPECT_EQ(document, parsed(c.after)) << c.what;
    }
}

}  // namespace
}  // namespace capstan::simulator::api_server
