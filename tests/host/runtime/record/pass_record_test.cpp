#include "runtime/record/pass_record.hpp"

#include <gtest/gtest.h>

#include "random_value.hpp"
#include "runtime/plugin_files/sha256.hpp"

namespace capstan::runtime::record {
namespace {

PassRecord random_record(std::uint32_t seed) {
    auto out = RandomValues(seed).make<PassRecord>();
    out.version = 2;
    out.setup.config_sha256 = plugin_files::sha256_hex(std::as_bytes(std::span(out.setup.config)));
    return out;
}

std::string record_refusal(std::string_view text) {
    const auto record = parse_pass_record(text, "pass.json");
    return record ? "is read" : record.error().message;
}

TEST(PassRecord, IsReadBackExactly) {
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        const std::string text = pass_record_text(random_record(seed));
        const auto read = parse_pass_record(text, "pass.json");
        ASSERT_TRUE(read) << "seed " << seed << ": " << read.error();
        EXPECT_EQ(pass_record_text(*read), text) << "seed " << seed;
    }
}

TEST(PassRecord, IsRefusedIfTruncated) {
    const std::string whole = pass_record_text(random_record(1));
    for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 200)
        EXPECT_NE(record_refusal(std::string_view(whole).substr(0, size)), "is read") << size;
}

TEST(PassRecord, OfALaterVersionIsRefused) {
    EXPECT_EQ(record_refusal(R"({"version":3,"host":"9.0","cluster":[]})"),
              "pass.json: has version 3, written by capstan 9.0; this version of capstan reads up "
              "to version 2");
}

TEST(PassRecord, OfVersion1IsReadWithItsOldKeys) {
    const auto read = parse_pass_record(
        R"({"version":1,"setup":{"config_sha256":")" + plugin_files::sha256_hex({}) +
            R"("},)"
            R"("circumstances":{"seed":7,"blind_because":"no lists"},)"
            R"("known_misses":[{"instance":"acme","hook":"filter"}],)"
            R"("theories":[{"cloud":"aws"}],)"
            R"("cluster":{"classes":[{"ns":"shop","labels":{"helped":"classes"}}],)"
            R"("pods":[{"name":"a","of":1}]},)"
            R"("memory":{"last_of":{"last_of":{}}},)"
            R"("outcome":{"memory":{"make_backoffs":[{"key":{"cloud":"aws"},"value":{}}]},)"
            R"("decision":{"increases":[{"group":"web","pods_helped":3}],"helped":[{"count":3}],)"
            R"("unhelped":[{"reason":{"code":"not_made"},)"
            R"("groups":[{"reason":{"code":"from_zero_off"}}]}],)"
            R"("new_groups":[{"dropped":{"code":"not_made"}}],)"
            R"("none_made":{"code":"being_made"}}}})",
        "pass.json");
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->call_context.seed, 7U);
    EXPECT_EQ(read->call_context.unobserved_because, "no lists");
    EXPECT_EQ(read->skipped_hooks.size(), 1U);
    EXPECT_EQ(read->candidate_groups.size(), 1U);
    EXPECT_EQ(read->cluster.pod_groups.at(0).labels, (Labels{{"helped", "classes"}}));
    EXPECT_EQ(read->cluster.pods.at(0).pod_group, 1U);
    EXPECT_TRUE(read->memory.last_by_group.contains(NodeGroupId("last_of")));
    EXPECT_EQ(read->outcome.memory.offering_backoffs.size(), 1U);
    const engine::Decision& decision = read->outcome.decision;
    EXPECT_EQ(decision.increases.at(0).schedulable_pods, 3U);
    EXPECT_EQ(decision.schedulable.at(0).count, 3U);
    const engine::UnschedulablePods& pods = decision.unschedulable.at(0);
    EXPECT_EQ(pods.reason.code, engine::ReasonCode::not_created);
    EXPECT_EQ(pods.groups.at(0).reason.code, engine::ReasonCode::scale_from_zero_disabled);
    EXPECT_EQ(decision.new_groups.at(0).dropped.code, engine::ReasonCode::not_created);
    EXPECT_EQ(decision.no_new_group_reason.code, engine::ReasonCode::group_upcoming);
}

TEST(PassRecord, IsRefusedIfItsConfigurationWasChanged) {
    PassRecord record = random_record(2);
    record.setup.config += "#";
    EXPECT_EQ(record_refusal(pass_record_text(record)),
              "pass.json: /setup/config: was changed after it was recorded (sha256 differs)");
}

TEST(PassRecord, ReportsTheLocationOfAllErrors) {
    EXPECT_EQ(
        record_refusal(R"({"version":2,"cluster":{"pods":[{"pod_group":-1},{"phase":"asleep"}]},)"
                       R"("groups":{},"outcome":{"decision":{"increases":[{"by":"3"}]}}})"),
        "pass.json: /cluster/pods/0/pod_group: expects an integer from 0 to 18446744073709551615, "
        "found a number (-1)\n"
        "pass.json: /cluster/pods/1/phase: expects one of pending, running, succeeded, failed, "
        "unknown, found text (\"asleep\")\n"
        "pass.json: /groups: expects an array, found an object\n"
        "pass.json: /outcome/decision/increases/0/by: expects an integer from -2147483648 to "
        "2147483647, found text (\"3\")");
}

}  // namespace
}  // namespace capstan::runtime::record
