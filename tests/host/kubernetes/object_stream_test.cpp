#include "kubernetes/object_stream.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace capstan::kubernetes {
namespace {

/// Each object as "KIND OF ITS LIST: OBJECT".
struct Taken final : ObjectSink {
    void take(std::string_view kind, const boost::json::value& object) override {
        objects.push_back(std::string(kind) + ": " + boost::json::serialize(object));
    }
    void take_error(std::string_view text) override {
        objects.push_back("error " + std::string(text));
    }
    std::vector<std::string> objects;
    std::string error;
};

Taken stream(std::string_view text, std::size_t piece = std::string_view::npos) {
    Taken taken;
    ObjectStream objects(taken);
    Result<void> result;
    while (!text.empty() && result) {
        result = objects.write(text.substr(0, piece));
        text.remove_prefix(std::min(piece, text.size()));
    }
    if (result) result = objects.finish();
    if (!result) taken.error = result.error().message;
    return taken;
}

struct ShapeCase {
    const char* shape;
    const char* text;
    std::vector<std::string> objects;
};

const ShapeCase shapes[] = {
    {"a single object",
     R"({"kind":"Pod","metadata":{"name":"a"}})",
     {R"(: {"kind":"Pod","metadata":{"name":"a"}})"}},
    {"a list of several kinds, as kubectl sorts its members",
     R"({"apiVersion":"v1","items":[{"kind":"Pod"},{"kind":"Node"}],"kind":"List","metadata":{"resourceVersion":""}})",
     {R"(: {"kind":"Pod"})", R"(: {"kind":"Node"})"}},
    {"a list whose items have no kind",
     R"({"kind":"PodList","metadata":{},"items":[{"metadata":{"name":"a"}},{}]})",
     {R"(Pod: {"metadata":{"name":"a"}})", "Pod: {}"}},
    {"an empty list, also as Go writes it",
     R"({"kind":"List","items":[]} {"kind":"PodList","items":null})",
     {}},
    {"one document after the other",
     "{\"kind\":\"A\"}\n[]{\"kind\":\"B\"} \n\t",
     {R"(: {"kind":"A"})", R"(: {"kind":"B"})"}},
    {"an array of objects and lists",
     R"([{"kind":"A"},{"kind":"NodeList","items":[{}]},{"kind":"B"}])",
     {R"(: {"kind":"A"})", "Node: {}", R"(: {"kind":"B"})"}},
    {"a debugging snapshot",
     R"({"NodeList":[{"Node":{"metadata":{"name":"n"}},"Pods":[{"metadata":{"name":"p"}}]},
                     {"Pods":null,"Node":null}],
         "UnscheduledPodsCanBeScheduled":[{"metadata":{"name":"q"}}],
         "Error":"it was late","StartTimestamp":"2026-11-21T10:50:00Z",
         "TemplateNodes":{"group":{"Node":{"metadata":{"name":"t"}},"Pods":[{}]}}})",
     {R"(Node: {"metadata":{"name":"n"}})", R"(Pod: {"metadata":{"name":"p"}})",
      R"(Pod: {"metadata":{"name":"q"}})", "error it was late"}},
    {"a debugging snapshot of nothing",
     R"({"NodeList":null,"UnscheduledPodsCanBeScheduled":null})",
     {}},
    {"an object that is not a list, with a member items",
     R"({"kind":"Pod","items":[{"kind":"Node"}]})",
     {R"(: {"kind":"Pod"})"}},
    {"values that are not objects",
     R"([7,"a",null,true,[{"kind":"Pod"}]] 1.5 {"items":{"kind":"Pod"}})",
     {": 7", ": \"a\"", ": null", ": true", ": []", ": 1.5E0", ": {}"}},
    {"duplicate keys: the last counts",
     R"({"kind":"A","kind":"B","spec":{},"spec":{"priority":1}})",
     {R"(: {"kind":"B","spec":{"priority":1}})"}},
    {"escaped and non-ASCII characters",
     R"({"k\u0069nd":"P\u006fd","metadata":{"name":"grün \"\\ \ud83d\ude00"}})",
     {R"(: {"kind":"Pod","metadata":{"name":"grün \"\\ 😀"}})"}},
};

TEST(ObjectStream, FindsObjectsInEveryInputFormat) {
    for (const ShapeCase& c : shapes) {
        const Taken taken = stream(c.text);
        EXPECT_EQ(taken.objects, c.objects) << c.shape;
        EXPECT_EQ(taken.error, "") << c.shape;
    }
}

TEST(ObjectStream, FindsTheSameObjectsInPiecesOfAnySize) {
    for (const ShapeCase& c : shapes) {
        for (const std::size_t piece : {1, 2, 3, 7, 16}) {
            const Taken taken = stream(c.text, piece);
            EXPECT_EQ(taken.objects, c.objects) << c.shape << " in pieces of " << piece;
            EXPECT_EQ(taken.error, "") << c.shape << " in pieces of " << piece;
        }
    }
}

TEST(ObjectStream, SkipsUnusedMembers) {
    const Taken taken =
        stream(R"({"kind":"Pod","metadata":{"name":"a","labels":{"env":"prod","image":"x"},
        "managedFields":[{"fieldsV1":{"f:metadata":{"f:labels":{}}}}]},
        "spec":{"containers":[{"image":"i","env":[{"name":"kind","value":"Node"}],"resources":{"limits":{"x":1}}}]},
        "status":{"images":[{"names":["a","b"]}],"phase":"Running"},"extra":{"kind":{"items":[]}},"last":1})");
    EXPECT_EQ(
        taken.objects,
        (std::vector<std::string>{
            R"(: {"kind":"Pod","metadata":{"name":"a","labels":{"env":"prod","image":"x"}},)"
            R"("spec":{"containers":[{"resources":{"limits":{"x":1}}}]},"status":{"phase":"Running"}})"}));
}

TEST(ObjectStream, SkipsAByteOrderMark) {
    for (const std::size_t piece : {1, 2, 100}) {
        const Taken taken = stream("\xEF\xBB\xBF{\"kind\":\"A\"}", piece);
        EXPECT_EQ(taken.objects.size(), 1u);
        EXPECT_EQ(taken.error, "");
    }
}

TEST(ObjectStream, ReportsAnErrorAfterTheObjectsBeforeIt) {
    const struct {
        std::string text;
        std::size_t objects;
        const char* error;
    } cases[] = {
        {"", 0, "line 1, column 1 (byte 0): is empty"},
        {" \n ", 0, "line 2, column 2 (byte 3): is empty"},
        {"apiVersion: v1", 0, "line 1, column 1 (byte 0): syntax error at \"apiVersion: v1\""},
        {"{\"items\":[{\"kind\":\"A\"},\n {\"kind\":]}", 1,
         "line 2, column 10 (byte 33): syntax error at \"]}\""},
        {"{\"items\":[{\"kind\":\"A\"},{\"kind\":\"B\"", 1,
         "line 1, column 35 (byte 34): is truncated in the middle of a value"},
        {"{\"kind\":\"A\"}}", 1, "line 1, column 13 (byte 12): syntax error at \"}\""},
        {"{\"kind\":\"A\"} {", 1,
         "line 1, column 15 (byte 14): is truncated in the middle of a value"},
        {"tru", 0, "line 1, column 4 (byte 3): is truncated in the middle of a value"},
        {"\xFF\xFE{", 0,
         "line 1, column 1 (byte 0): is UTF-16 text, as PowerShell writes redirected output; "
         "expects UTF-8"},
        {"\x1F\x8B\x08", 0, "line 1, column 1 (byte 0): is compressed; expects JSON text"},
    };
    for (const auto& c : cases) {
        for (const std::size_t piece : {1, 1000}) {
            const Taken taken = stream(c.text, piece);
            EXPECT_EQ(taken.objects.size(), c.objects) << c.text;
            if (piece == 1000) {
                EXPECT_EQ(taken.error, c.error) << c.text;
            }
            EXPECT_EQ(taken.error.substr(0, taken.error.find(':')),
                      std::string_view(c.error).substr(0, std::string_view(c.error).find(':')))
                << c.text << " in pieces of " << piece;
        }
    }
}

TEST(ObjectStream, RejectsDeeplyNestedInput) {
    const auto nested = [](std::size_t depth) {
        return "{\"kind\":\"A\",\"x\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
    };
    EXPECT_EQ(stream(nested(250)).objects.size(), 1u);
    const Taken taken = stream(nested(100000));
    EXPECT_TRUE(taken.objects.empty());
    EXPECT_NE(taken.error.find("too deep"), std::string::npos) << taken.error;
}

TEST(ObjectStream, AcceptsNothingAfterAnError) {
    Taken taken;
    ObjectStream objects(taken);
    const Result<void> first = objects.write("{]");
    ASSERT_FALSE(first);
    EXPECT_EQ(objects.write("{\"kind\":\"A\"}").error(), first.error());
    EXPECT_EQ(objects.finish().error(), first.error());
    EXPECT_TRUE(taken.objects.empty());
}

}  // namespace
}  // namespace capstan::kubernetes
