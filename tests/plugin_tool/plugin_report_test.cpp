#include "plugin_tool/plugin_report.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include <boost/json.hpp>

namespace capstan::plugin_tool {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PluginReport, MarksDraftKinds) {
    plugin_runtime::plugin_files::PluginFacts facts;
    facts.note.kinds = {"capstan.expander/1", "capstan.magic/1"};
    facts.elf.exports.emplace_back();
    std::ostringstream report;
    print_report(report, describe_file(facts, {.ids = {"capstan.magic/1"}}));
    EXPECT_THAT(report.str(), HasSubstr("capstan.magic/1: requires `drafts = true` in [trust]"));
    std::ostringstream plain;
    print_report(plain, describe_file(facts));
    EXPECT_THAT(plain.str(), Not(HasSubstr("drafts")));
}

}  // namespace
}  // namespace capstan::plugin_tool
