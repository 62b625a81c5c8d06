#include "plugin_runtime/plugin_files/plugin_classes.hpp"

#include <capstan/abi/expander.h>
#include <gmock/gmock.h>

#include <capstan/view.hpp>

#include "../plugin_bytes.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

using testing::HasSubstr;

capstan_status create(const capstan_host*, const capstan_settings*, const capstan_call*,
                      const capstan_instance**) noexcept {
    return CAPSTAN_E_INTERNAL;
}

capstan_class make_class(std::string_view id, std::string_view kind = CAPSTAN_KIND_EXPANDER) {
    capstan_class c{};
    c.struct_size = sizeof c;
    c.class_id = str(id);
    c.kind = str(kind);
    c.create = create;
    return c;
}

/// The class list that the entry of the current test returns.
const capstan_class_list* current_list = nullptr;
const capstan_class_list* classes() noexcept { return current_list; }

Result<std::vector<ClassInfo>> read_list(const capstan_class_list* list) {
    capstan_entry entry{};
    entry.classes = classes;
    current_list = list;
    return read_classes(entry, {CAPSTAN_KIND_EXPANDER});
}

Result<std::vector<ClassInfo>> read_array(capstan_array array) {
    const capstan_class_list list{sizeof(capstan_class_list), 0, array};
    return read_list(&list);
}

std::string classes_refusal(const std::vector<capstan_class>& list) {
    return message_of(read_array(array_of(list)));
}

TEST(PluginClasses, AreReadWithTheirFlags) {
    std::vector<capstan_class> list{make_class("least_waste"), make_class("other")};
    list[0].flags = CAPSTAN_CLASS_PURE;
    list[0].concurrency = CAPSTAN_CONCURRENCY_PARALLEL;
    list[1].concurrency = 77;
    const auto read = read_array(array_of(list));
    ASSERT_TRUE(read) << read.error();
    ASSERT_EQ(read->size(), 2u);
    EXPECT_EQ(read->front().id, "least_waste");
    EXPECT_EQ(read->front().raw, &list[0]);
    EXPECT_TRUE(read->front().is_pure);
    EXPECT_EQ(read->front().concurrency, Concurrency::parallel);
    EXPECT_EQ(read->back().concurrency, Concurrency::serial);
}

TEST(PluginClasses, NeedDifferentValidIds) {
    EXPECT_EQ(classes_refusal({make_class("tiny"), make_class("tiny")}),
              "has two classes \"tiny\"");
    EXPECT_THAT(classes_refusal({make_class("Least Waste")}),
                HasSubstr("has the class id \"Least Waste\""));
    EXPECT_THAT(classes_refusal({make_class("")}), HasSubstr("has the class id \"\""));
}

TEST(PluginClasses, NeedAKindListedInTheNote) {
    EXPECT_THAT(classes_refusal({make_class("tiny", "")}),
                HasSubstr("class tiny: has the kind \"\""));
    EXPECT_THAT(
        classes_refusal({make_class("tiny", "capstan.cloud/1")}),
        HasSubstr(
            "class tiny: is of the kind capstan.cloud/1, which the Capstan note does not list"));
}

TEST(PluginClasses, NeedCreateAndAValidSchema) {
    capstan_class without = make_class("tiny");
    without.create = nullptr;
    EXPECT_EQ(classes_refusal({without}), "class tiny: has no create function");
    capstan_class schema = make_class("tiny");
    schema.fields = {nullptr, 3, sizeof(capstan_field)};
    EXPECT_THAT(classes_refusal({schema}), HasSubstr("class tiny: field *: has a list of fields"));
}

TEST(PluginClasses, MayBeLongerThanKnownButNotShorter) {
    struct Longer {
        capstan_class known;
        std::uint64_t added_later;
    };
    std::array<Longer, 2> list{Longer{make_class("a"), 7}, Longer{make_class("b"), 7}};
    for (Longer& c : list) c.known.struct_size = sizeof(Longer);
    const auto read = read_array({list.data(), 2, sizeof(Longer)});
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->back().id, "b");
    capstan_class shorter = make_class("a");
    shorter.struct_size = 24;
    EXPECT_THAT(classes_refusal({shorter}), HasSubstr("struct_size is 24"));
}

TEST(PluginClasses, RefuseMalformedLists) {
    const capstan_class one = make_class("a");
    const capstan_class_list cut_short{4, 0, {&one, 1, sizeof one}};
    EXPECT_EQ(message_of(read_list(nullptr)), "returned no class list");
    EXPECT_THAT(message_of(read_list(&cut_short)), HasSubstr("struct_size is 4"));
    EXPECT_EQ(message_of(read_array({})), "has no class");
    EXPECT_THAT(message_of(read_array({nullptr, 1, sizeof one})), HasSubstr("count but no data"));
    EXPECT_THAT(message_of(read_array({&one, 5000, sizeof one})),
                HasSubstr("5000 elements; at most 1024 are allowed"));
    EXPECT_THAT(message_of(read_array({&one, 1, 4})), HasSubstr("stride is 4"));
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
