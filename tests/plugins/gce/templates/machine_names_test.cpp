#include <gmock/gmock.h>

#include <string>

#include "templates/group_template.hpp"

namespace capstan::gce {
namespace {

TEST(MachineFamilies, AreTheTextBeforeTheFirstHyphen) {
    for (const auto& [type, family] : {std::pair{"n1-standard-8", "n1"},
                                       {"e2-small", "e2"},
                                       {"f1-micro", "n1"},
                                       {"g1-small", "n1"},
                                       {"n2-custom-2-2816-ext", "n2"},
                                       {"custom-2-2816", "n1"},
                                       {"a3-highgpu-8g", "a3"}})
        EXPECT_EQ(family_of(type), family) << type;
}

TEST(MachineFamilies, DetermineTheArchitecture) {
    for (const char* arm : {"t2a", "c4a", "n4a", "a4x"})
        EXPECT_EQ(arch_of_family(arm), "arm64") << arm;
    for (const char* amd : {"n1", "t2d", "c4", "a4"})
        EXPECT_EQ(arch_of_family(amd), "amd64") << amd;
}

TEST(CustomTypes, HaveCpusAndMemoryInTheirNames) {
    struct Case {
        const char* name;
        std::int64_t vcpus, memory_mib;
    };
    for (const auto& [name, vcpus, memory] :
         {Case{"custom-2-2816", 2, 2816}, Case{"custom-2-2816-ext", 2, 2816},
          Case{"n2-custom-48-184320", 48, 184'320}, Case{"n2-custom-2-2816-ext", 2, 2816},
          Case{"e2-custom-medium-2816", 2, 2816}, Case{"e2-custom-micro-2048", 2, 2048},
          Case{"e2-custom-small-2048", 2, 2048}}) {
        const auto type = parse_custom_type(name);
        ASSERT_TRUE(type && *type) << name;
        EXPECT_EQ((*type)->name, name);
        EXPECT_EQ((*type)->vcpus, vcpus) << name;
        EXPECT_EQ((*type)->memory_mib, memory) << name;
    }
}

TEST(CustomTypes, HaveCustomInTheirNames) {
    for (const char* name : {"n1-standard-8", "other-a2-2816", "e2-small", "x", ""})
        EXPECT_EQ(*parse_custom_type(name), std::nullopt) << name;
}

TEST(CustomTypes, AreRejectedWithoutCpusAndMemory) {
    for (const char* name :
         {"e2-custom", "e2-custom-8", "e2-custom-abc-2048", "n2-custom-small-2048", "custom-0-512",
          "custom-2-0", "custom--512", "n2-custom-99999999999999999999-1", "n2-custom-65537-1",
          "n2-custom-2-1073741825", "n2-custom-9223372036854775807-1"}) {
        EXPECT_FALSE(parse_custom_type(name)) << name;
    }
}

}  // namespace
}  // namespace capstan::gce
