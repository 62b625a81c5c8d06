#include "plugin_runtime/plugin_files/plugin_library.hpp"

#include <capstan/abi/abi.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "../plugin_bytes.hpp"
#include "plugin_runtime/plugin_files/library_registry.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

using testing::HasSubstr;

class PluginLibraryTest : public testing::Test {
protected:
    PluginLibraryTest() {
        ::unsetenv("CAPSTAN_TINY_CONSTRUCTED");
        ::unsetenv("CAPSTAN_TINY_FILE");
    }
    Result<std::shared_ptr<const PluginLibrary>> load(const FileBytes& bytes) {
        const TrustPolicy policy{.search_paths = {temporary_.path()}};
        temporary_.file("x.so", bytes);
        return registry_.load({.file = "x.so"}, policy);
    }
    std::string refusal(const FileBytes& bytes) { return message_of(load(bytes)); }
    static bool code_was_run() { return ::getenv("CAPSTAN_TINY_CONSTRUCTED") != nullptr; }

    TemporaryFolder temporary_;
    LibraryRegistry registry_{std::vector{temporary_.path()}};
};

/// The options that an instance of the class keeps.
std::vector<std::uint32_t> kept_of(const ClassInfo& info,
                                   const std::vector<capstan_option>& options) {
    const capstan_instance* instance = nullptr;
    EXPECT_EQ(info.raw->create(nullptr, nullptr, nullptr, &instance), CAPSTAN_OK);
    const auto* expander = static_cast<const capstan_expander*>(
        instance->interface_of(instance->self, CAPSTAN_KIND_EXPANDER));
    const capstan_expander_request in{sizeof in, 0, array_of(options), {}};
    std::vector<std::uint32_t> kept;
    const capstan_expander_response out{
        sizeof out, 0, &kept,
        [](const capstan_expander_response* o, std::uint32_t i, double) noexcept {
            static_cast<std::vector<std::uint32_t>*>(o->ctx)->push_back(i);
        }};
    EXPECT_EQ(expander->filter(expander->self, nullptr, &in, &out), CAPSTAN_OK);
    instance->destroy(instance->self);
    return kept;
}

TEST_F(PluginLibraryTest, OffersWorkingClasses) {
    const auto library = load(tiny());
    ASSERT_TRUE(library) << library.error();
    EXPECT_EQ((*library)->classes().size(), 2u);
    EXPECT_EQ((*library)->find_class("absent"), nullptr);
    const ClassInfo* info = (*library)->find_class("tiny");
    ASSERT_NE(info, nullptr);
    capstan_option three{}, one{};
    three.nodes = 3;
    one.nodes = 1;
    EXPECT_THAT(kept_of(*info, {three, one, one}), testing::ElementsAre(1, 2));
}

TEST_F(PluginLibraryTest, PassesItsPathToInit) {
    ASSERT_TRUE(load(tiny()));
    ASSERT_TRUE(code_was_run());
    EXPECT_EQ(::getenv("CAPSTAN_TINY_FILE"), (temporary_.path() / "x.so").string());
}

TEST_F(PluginLibraryTest, RunsNoCodeOfAFileWithAnInvalidNote) {
    EXPECT_THAT(
        refusal(with_note(tiny(), offsetof(capstan_note, abi_minor_required), std::uint16_t{3})),
        HasSubstr("x.so: requires ABI 1.3, this host offers 1.0"));
    EXPECT_THAT(refusal(with_note(tiny(), offsetof(capstan_note, abi_major), std::uint16_t{2})),
                HasSubstr("x.so: is built for ABI major 2"));
    EXPECT_THAT(refusal(with_note(tiny(), offsetof(capstan_note, magic), std::uint32_t{1})),
                HasSubstr("magic"));
    EXPECT_THAT(refusal(tiny("tiny_without_note")), HasSubstr("is not a Capstan plugin"));
    EXPECT_THAT(refusal(tiny("tiny_without_entry")), HasSubstr("does not export capstan_entry_1"));
    EXPECT_FALSE(code_was_run());
}

TEST_F(PluginLibraryTest, RefusesAFileWhoseEntryContradictsItsNote) {
    EXPECT_THAT(
        refusal(tiny("tiny_other_version")),
        HasSubstr("x.so: contradicts itself: its entry says version 9.9.9, its note says 0.1.0"));
    EXPECT_THAT(refusal(tiny("tiny_other_magic")),
                HasSubstr("has an entry with magic 0x12345678, expected 0x31504143"));
    EXPECT_THAT(refusal(tiny("tiny_twice")), HasSubstr("x.so: has two classes \"tiny\""));
}

TEST_F(PluginLibraryTest, ReportsTheErrorOfTheDynamicLoader) {
    EXPECT_THAT(
        refusal(tiny("tiny_undefined")),
        testing::EndsWith("x.so: cannot be loaded: undefined symbol: capstan_tiny_nowhere"));
}

TEST_F(PluginLibraryTest, ReportsAFailedInit) {
    EXPECT_THAT(refusal(tiny("tiny_failing_init")), HasSubstr("its init returned 7 (permission)"));
    EXPECT_THAT(registry_.libraries(), testing::IsEmpty());
}

TEST_F(PluginLibraryTest, CallsDeinitIfTheClassesAreRefused) {
    EXPECT_FALSE(load(tiny("tiny_twice")));
    EXPECT_EQ(::getenv("CAPSTAN_TINY_FILE"), nullptr);
}

TEST_F(PluginLibraryTest, SurvivesATruncatedFile) {
    for (std::size_t size = 0; size < tiny().size(); size += 4096)
        EXPECT_FALSE(load(cut(tiny(), size))) << size;
    EXPECT_FALSE(code_was_run());
    EXPECT_TRUE(load(tiny()));
}

TEST_F(PluginLibraryTest, LoadsFromACopyFolderWritableByOthers) {
    LibraryRegistry registry(std::vector{temporary_.folder("open", 0777)});
    temporary_.file("x.so", tiny());
    const auto library = registry.load({.file = "x.so"}, {.search_paths = {temporary_.path()}});
    ASSERT_TRUE(library) << library.error();
    EXPECT_EQ((*library)->classes().size(), 2u);
}

TEST_F(PluginLibraryTest, IsNotAffectedByChangesOfTheOriginalFile) {
    const auto library = load(tiny());
    ASSERT_TRUE(library) << library.error();
    std::filesystem::resize_file(temporary_.path() / "x.so", 0);
    capstan_option one{};
    one.nodes = 1;
    EXPECT_THAT(kept_of(*(*library)->find_class("tiny"), {one}), testing::ElementsAre(0));
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
