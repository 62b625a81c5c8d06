#include "plugin_runtime/plugin_files/plugin_file.hpp"

#include <gmock/gmock.h>

#include <array>
#include <limits>

#include <capstan/view.hpp>

#include "../plugin_bytes.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

using testing::HasSubstr;

capstan_field field(std::string_view key, std::int32_t type = CAPSTAN_TYPE_STRING) {
    capstan_field f{};
    f.struct_size = sizeof f;
    f.type = type;
    f.key = str(key);
    return f;
}

std::string fields_refusal(const std::vector<capstan_field>& fields) {
    return message_of(check_fields(array_of(fields)));
}

TEST(PluginFields, MayBeEmpty) {
    EXPECT_EQ(fields_refusal({}), "no error");
    EXPECT_EQ(fields_refusal({field("k8s.io/cluster"), field("weights", CAPSTAN_TYPE_FLOAT)}),
              "no error");
}

TEST(PluginFields, NeedDifferentKeysAndKnownTypes) {
    EXPECT_EQ(fields_refusal({field("region"), field("region")}), "has two fields \"region\"");
    EXPECT_EQ(fields_refusal({field("")}), "has a field without a key");
    EXPECT_EQ(fields_refusal({field("region", 99)}), "field region: has the unknown type 99");
    EXPECT_EQ(fields_refusal({field("mode", CAPSTAN_TYPE_ENUM)}),
              "field mode: is an enum without values");
}

TEST(PluginFields, HaveNoBoundsByDefault) {
    EXPECT_EQ(fields_refusal({field("calls", CAPSTAN_TYPE_INTEGER)}), "no error");
}

TEST(PluginFields, NeedConsistentBounds) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr std::uint32_t min = CAPSTAN_FIELD_MIN, max = CAPSTAN_FIELD_MAX;
    struct Row {
        std::uint32_t flags;
        double min, max;
        std::string_view refusal;
    };
    for (const Row& row :
         {Row{min | max, 0, 0, "no error"}, Row{min, 5, 0, "no error"}, Row{max, 0, -1, "no error"},
          Row{min | max, 2, 1, "field n: has a min above its max"},
          Row{0, 1, 0, "field n: has a min without CAPSTAN_FIELD_MIN"},
          Row{min, 1, 9, "field n: has a max without CAPSTAN_FIELD_MAX"},
          Row{min, nan, 0, "field n: has a min that is not a number"}}) {
        capstan_field f = field("n", CAPSTAN_TYPE_FLOAT);
        f.flags = row.flags;
        f.min = row.min;
        f.max = row.max;
        EXPECT_EQ(fields_refusal({f}), row.refusal);
    }
}

TEST(PluginFields, MayContainTables) {
    const std::vector inner{field("max"), field("max")};
    capstan_field table = field("retry", CAPSTAN_TYPE_TABLE);
    table.fields = array_of(inner);
    EXPECT_EQ(fields_refusal({table}), "has two fields \"retry.max\"");
}

TEST(PluginFields, MustNotContainThemselves) {
    std::array<capstan_field, 1> loop{field("again", CAPSTAN_TYPE_TABLE)};
    loop[0].fields = array_of(loop);
    EXPECT_THAT(message_of(check_fields(array_of(loop))), HasSubstr("is nested more than 8 deep"));
}

TEST(PluginFields, AreReadWithTheirStride) {
    struct Longer {
        capstan_field known;
        std::uint64_t added_later;
    };
    std::array<Longer, 2> fields{Longer{field("a"), 7}, Longer{field("b", 99), 7}};
    for (Longer& f : fields) f.known.struct_size = sizeof(Longer);
    EXPECT_EQ(message_of(check_fields({fields.data(), 2, sizeof(Longer)})),
              "field b: has the unknown type 99");
}

TEST(PluginFields, RefuseInvalidSizes) {
    const capstan_field good = field("a");
    capstan_field shorter = good, longer = good, empty = good;
    shorter.struct_size = 16;
    longer.struct_size = sizeof longer + 8;
    empty.doc = {nullptr, 10};
    EXPECT_THAT(fields_refusal({shorter}), HasSubstr("struct_size is 16"));
    EXPECT_THAT(fields_refusal({longer}), HasSubstr("struct_size is"));
    EXPECT_THAT(fields_refusal({empty}), HasSubstr("doc with a length but no text"));
    EXPECT_THAT(message_of(check_fields({&good, 1, 8})), HasSubstr("stride is 8"));
    EXPECT_THAT(message_of(check_fields({nullptr, 1, sizeof good})),
                HasSubstr("count but no data"));
    EXPECT_THAT(message_of(check_fields({&good, 1u << 30, sizeof good})), HasSubstr("are allowed"));
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
