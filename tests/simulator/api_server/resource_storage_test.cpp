#include "simulator/api_server/resource_storage.hpp"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace capstan::simulator::api_server {
namespace {

json::object object_of(const char* text) { return json::parse(text).as_object(); }

TEST(StoredObject, HasTheMembersOfTheOriginalInTheSameOrder) {
    const json::object from = object_of(
        R"({"kind":"Pod","metadata":{"resourceVersion":"","name":"web-0"},"spec":{"ports":[1,2.5,
            {"a long string as key":"another long string","none":null}],"empty":{},"no":[]}})");
    EXPECT_EQ(
        json::serialize(*make_stored(from, 12)),
        R"({"kind":"Pod","metadata":{"resourceVersion":"12","name":"web-0"},"spec":{"ports":[1,2.5E0,{"a long string as key":"another long string","none":null}],"empty":{},"no":[]}})");
}

TEST(StoredObject, GetsAResourceVersionIfItHasNone) {
    EXPECT_EQ(text_at(*make_stored({}, 3), "metadata.resourceVersion"), "3");
    EXPECT_EQ(text_at(*make_stored(object_of(R"({"metadata":{"a":"b","c":"d"}})"), 18'000'000),
                      "metadata.resourceVersion"),
              "18000000");
}

TEST(StoredObject, CanBeLarge) {
    json::object from;
    for (int i = 0; i < 5000; ++i) from["key " + std::to_string(i)] = std::string(100, 'x');
    const ApiObject kept = make_stored(from, 1);
    EXPECT_EQ(kept->size(), 5001u);
    EXPECT_EQ(text_at(*kept, "key 4999"), std::string(100, 'x'));
}

TEST(StoredObject, CanBeDestroyedBeforeItsCopies) {
    ApiObject kept = make_stored(object_of(R"({"spec":{"a long string as key":[1,2,3]}})"), 1);
    json::object whole = *kept;
    json::value part = kept->at("spec");
    json::value number = kept->at("spec").at("a long string as key").at(0);
    kept.reset();
    number = std::string(100, 'x');
    whole["spec"].as_object()["more"] = std::string(100, 'y');
    EXPECT_EQ(json::serialize(part), R"({"a long string as key":[1,2,3]})");
    EXPECT_EQ(text_at(whole, "spec.more"), std::string(100, 'y'));
    EXPECT_EQ(number, json::value(std::string(100, 'x')));
}

TEST(StoredObject, IsNotChangedThroughCopies) {
    const ApiObject kept = make_stored(object_of(R"({"spec":{"list":[1]}})"), 1);
    json::object copy = *kept;
    set_value(copy, "spec.list", json::array{2, 3});
    EXPECT_EQ(find_array(*kept, "spec.list")->size(), 1u);
    EXPECT_EQ(*make_stored(copy, 2)->at("spec").as_object().if_contains("list"),
              json::value(json::array{2, 3}));
}

TEST(EqualObjects, HaveTheSameMembersInAnyOrder) {
    struct Case {
        const char *a, *b;
        bool is_equal;
    };
    const Case cases[] = {
        {"{}", "{}", true},
        {R"({"a":1,"b":[{"c":"d"}]})", R"({"a":1,"b":[{"c":"d"}]})", true},
        {R"({"a":1,"b":2,"c":3})", R"({"c":3,"a":1,"b":2})", true},
        {R"({"a":1,"b":2})", R"({"a":1,"c":2})", false},
        {R"({"a":1})", R"({"a":1,"b":2})", false},
        {R"({"a":1,"b":2})", R"({"a":1})", false},
        {R"({"a":[1,2]})", R"({"a":[2,1]})", false},
        {R"({"a":[1,2]})", R"({"a":[1]})", false},
        {R"({"a":{}})", R"({"a":[]})", false},
        {R"({"a":null})", R"({"b":null})", false},
        {R"({"a":{"b":{"c":1}}})", R"({"a":{"b":{"c":2}}})", false},
    };
    for (const Case& test : cases)
        EXPECT_EQ(is_equal(object_of(test.a), object_of(test.b)), test.is_equal)
            << test.a << " and " << test.b;
}

}  // namespace
}  // namespace capstan::simulator::api_server
