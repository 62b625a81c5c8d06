#include <capstan/taint_text.hpp>

#include <string_view>

#include <gtest/gtest.h>

namespace capstan {
namespace {

TEST(TaintText, IsReadInKubectlForm) {
    const std::pair<std::string_view, Taint> cases[] = {
        {"dedicated=gpu:NoSchedule", {"dedicated", "gpu", Effect::no_schedule}},
        {"dedicated:NoExecute", {"dedicated", "", Effect::no_execute}},
        {"gpu=:PreferNoSchedule", {"gpu", "", Effect::prefer_no_schedule}},
        {"a=b=c:d:NoSchedule", {"a", "b=c:d", Effect::no_schedule}},
        {"example.com/a:NoSchedule", {"example.com/a", "", Effect::no_schedule}}};
    for (const auto& [written, taint] : cases) {
        const Result<Taint> read = parse_taint(written);
        ASSERT_TRUE(read) << written;
        EXPECT_EQ(*read, taint) << written;
    }
}

TEST(TaintText, ReadsBackWhatItWrote) {
    for (const Taint& taint :
         {Taint{"a", "b", Effect::no_execute}, Taint{"a", "", Effect::no_schedule}})
        EXPECT_EQ(parse_taint(to_string(taint)).value(), taint);
}

TEST(TaintText, IsRejectedWithoutAKeyOrWithAnUnknownEffect) {
    for (const std::string_view written :
         {"", ":", "a", "a=b", "NoSchedule", ":NoSchedule", "=b:NoSchedule", "a=b:", "a=b:Never",
          "a=b:noschedule", "a=b:NoSchedule "}) {
        const Result<Taint> read = parse_taint(written);
        ASSERT_FALSE(read) << written;
        EXPECT_EQ(read.error().code, ErrorCode::invalid_argument);
    }
    EXPECT_EQ(parse_taint("a=b:Never").error().message,
              "\"a=b:Never\" is not a taint such as \"key=value:NoSchedule\"");
}

}  // namespace
}  // namespace capstan
