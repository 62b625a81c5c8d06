// `capstan explain group`: the template compared with an existing node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "dump_objects.hpp"
#include "shell.hpp"

namespace capstan::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string compared_pod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":"p",)"
    R"("creationTimestamp":"2026-01-01T02:00:00Z"},"spec":{"containers":[{"name":"c"}]},)"
    R"("status":{"phase":"Pending"}})";

std::string compared_dump(const std::string& nodes) {
    return R"({"kind":"List","apiVersion":"v1","items":[)" + nodes + "," + compared_pod + "]}";
}

/// A dump of two nodes. The template of their group is guessed from what they have in common.
class ExplainGroupTest : public testing::Test {
protected:
    static std::string younger_node() {
        std::string out = ready_node("web-2");
        const auto replace = [&out](const std::string& what, const std::string& by) {
            out.replace(out.find(what), what.size(), by);
        };
        replace("2026-01-01T00", "2026-01-01T01");
        replace(R"("agentpool":"web")", R"("agentpool":"web","disk":"ssd")");
        return out;
    }
    CommandResult explain(const std::string& more = {}) const {
        return capstan("explain group web -f '" + file_ + "'" + more);
    }

    Folder folder_;
    std::string file_ =
        folder_.write("dump.json", compared_dump(ready_node("web-1") + "," + younger_node()));
};

TEST_F(ExplainGroupTest, ComparesTheTemplateWithTheYoungestNode) {
    const CommandResult ran = explain();
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("compared with node web-2: 4 of "));
    EXPECT_THAT(ran.out, HasSubstr("\n  FIELD "));
    EXPECT_THAT(ran.out, ::testing::ContainsRegex("arch +amd64 +- +not on node\n"));
    EXPECT_THAT(ran.out, ::testing::ContainsRegex("label disk +- +ssd +not in template\n"));
    EXPECT_THAT(ran.out, AllOf(::testing::ContainsRegex("label agentpool +web +web\n"),
                               Not(HasSubstr("hostname"))));
}

TEST_F(ExplainGroupTest, PrintsTheComparisonAsJson) {
    const CommandResult ran = explain(" -o json");
    EXPECT_EQ(ran.code, 0) << ran.err;
    const boost::json::object answer = boost::json::parse(ran.out).as_object();
    const boost::json::object& comparison = answer.at("comparison").as_object();
    EXPECT_EQ(comparison.at("node"), "web-2");
    EXPECT_TRUE(comparison.at("not_compared_because").is_null());
    const boost::json::array& fields = comparison.at("fields").as_array();
    const auto row = [&](const char* name) {
        for (const auto& field : fields)
            if (field.at("field") == name) return boost::json::serialize(field);
        return std::string("none");
    };
    EXPECT_EQ(row("capacity cpu"),
              R"({"field":"capacity cpu","template":"4","node":"4","same":true,"mark":""})");
    EXPECT_EQ(row("label disk"), R"({"field":"label disk","template":null,"node":"ssd",)"
                                 R"("same":false,"mark":"not in template"})");
}

TEST_F(ExplainGroupTest, ComparesNothingWithoutAReadyNode) {
    std::string node = ready_node("web-1");
    node.replace(node.find(R"("True")"), 6, R"("False")");
    const std::string file = folder_.write("unready.json", compared_dump(node));
    const CommandResult ran = capstan("explain group web -f '" + file + "'");
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("not compared: its only node, web-1, is not ready"),
                               Not(HasSubstr("FIELD"))));
}

}  // namespace
}  // namespace capstan::commands
