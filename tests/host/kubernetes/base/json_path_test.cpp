#include "kubernetes/base/json_path.hpp"

#include <string>

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

namespace capstan::kubernetes::base {
namespace {

const boost::json::object object =
    parse_json_object(R"({"a":{"b":"text","n":null,"x":7,"yes":true,"list":[1,2],"1.5":"no"},
                         "kind":"Pod"})")
        .value();

TEST(JsonPath, FindsMembers) {
    EXPECT_EQ(text_at(object, "kind"), "Pod");
    EXPECT_EQ(text_at(object, "a.b"), "text");
    EXPECT_EQ(text_at(object, ".a.b"), "text") << "as custom resources write it";
    EXPECT_EQ(integer_at(object, "a.x"), 7);
    EXPECT_TRUE(is_true_at(object, "a.yes"));
    EXPECT_EQ(list_at(object, "a.list").size(), 2u);
    EXPECT_EQ(find_object(object, "a"), object.if_contains("a")->if_object());
}

TEST(JsonPath, FindsNothingIfAMemberIsMissingOrNotAnObject) {
    for (const char* path :
         {"", ".", "b", "a.n", "a.z", "a.b.c", "a.list.0", "z.b", "a.1.5", "a..b"})
        EXPECT_EQ(find_value(object, path), nullptr) << path;
}

TEST(JsonPath, ReturnsNothingForAnotherType) {
    EXPECT_EQ(text_at(object, "a.x"), "");
    EXPECT_EQ(integer_at(object, "a.b"), std::nullopt);
    EXPECT_FALSE(is_true_at(object, "a.b"));
    EXPECT_TRUE(list_at(object, "a.b").empty());
    EXPECT_EQ(find_array(object, "a"), nullptr);
    EXPECT_EQ(find_object(object, "a.list"), nullptr);
}

TEST(JsonPath, AcceptsAValueThatIsNotAnObject) {
    const boost::json::value none(7), some = object;
    EXPECT_EQ(text_at(none, "kind"), "");
    EXPECT_EQ(text_at(some, "kind"), "Pod");
    EXPECT_EQ(text_at(find_object(object, "z"), "kind"), "");
}

TEST(JsonPath, ReadsLabelsAndAnnotationsByTheirFullKey) {
    const auto pod = parse_json_object(R"({"metadata":{"labels":{"x.io/a.b":"c","n":7},
                                          "annotations":{"kubernetes.io/config.mirror":"m"}}})")
                         .value();
    EXPECT_EQ(label_of(pod, "x.io/a.b"), "c");
    EXPECT_EQ(label_of(pod, "n"), "");
    EXPECT_EQ(annotation_of(pod, "kubernetes.io/config.mirror"), "m");
    EXPECT_EQ(annotation_of(object, "kubernetes.io/config.mirror"), "");
}

TEST(JsonPath, FindsConditionsByTheirType) {
    const auto node = parse_json_object(R"({"status":{"conditions":[7,{"type":"Ready",
                                           "status":"True"},{"type":"Full","status":"False"}]}})")
                          .value();
    EXPECT_TRUE(has_condition(node, "Ready"));
    EXPECT_FALSE(has_condition(node, "Full"));
    EXPECT_TRUE(has_condition(node, "Full", "False"));
    EXPECT_EQ(find_condition(node, "Other"), nullptr);
}

TEST(JsonPath, CreatesMissingObjects) {
    boost::json::object out;
    set_value(out, ".a.b.c", 1);
    set_default(out, "a.b.c", 2);
    set_default(out, "a.d", 3);
    make_object(out, "a")["e"] = 4;
    EXPECT_EQ(boost::json::serialize(out), R"({"a":{"b":{"c":1},"d":3,"e":4}})");
    set_value(out, "a.b.c.f", 5);
    EXPECT_EQ(integer_at(out, "a.b.c.f"), 5) << "replaces a value that is not an object";
}

TEST(ParseJsonObject, AcceptsDeeplyNestedObjects) {
    std::string deep = "7";
    for (int i = 0; i < 200; ++i) deep = R"({"a":)" + deep + "}";
    EXPECT_TRUE(parse_json_object(deep));
    for (const char* text : {"", "<html>", "[]", "null", R"({"a":)"})
        EXPECT_FALSE(parse_json_object(text)) << text;
}

}  // namespace
}  // namespace capstan::kubernetes::base
