#include "autoscaler/record/pass_record.hpp"

#include <gtest/gtest.h>

#include "plugin_runtime/plugin_files/sha256.hpp"
#include "random_value.hpp"

namespace capstan::autoscaler::record {
namespace {

PassRecord random_record(std::uint32_t seed) {
    auto out = RandomValues(seed).make<PassRecord>();
    out.version = 2;
    out.setup.config_sha256 =
        plugin_runtime::plugin_files::sha256_hex(std::as_bytes(std::span(out.setup.config)));
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

TEST(PassRecord, OfAnotherVersionIsRefused) {
    EXPECT_EQ(record_refusal(R"({"version":1,"cluster":[]})"),
              "pass.json: has version 1, written by capstan of another version; this version of "
              "capstan reads version 2 only");
    EXPECT_EQ(record_refusal(R"({"version":3,"host":"9.0","cluster":[]})"),
              "pass.json: has version 3, written by capstan 9.0; this version of capstan reads "
              "version 2 only");
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
}  // namespace capstan::autoscaler::record
