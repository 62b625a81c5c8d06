#include "plugin_runtime/plugin_files/plugin_note.hpp"

#include <gmock/gmock.h>

#include "../plugin_bytes.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

using testing::HasSubstr;

Result<PluginNote> note_of(const FileBytes& bytes) {
    const auto facts = read_elf(bytes);
    EXPECT_TRUE(facts) << facts.error();
    return read_note(bytes, *facts);
}

template <class T>
std::string note_refusal_with(std::size_t member, T value) {
    return message_of(note_of(with_note(tiny(), member, value)));
}

TEST(PluginNote, IdentifiesThePlugin) {
    const auto note = note_of(tiny());
    ASSERT_TRUE(note) << note.error();
    EXPECT_EQ(note->plugin_id, "test.tiny");
    EXPECT_EQ(note->version, "0.1.0");
    EXPECT_EQ(note->sdk, CAPSTAN_SDK_VERSION);
    EXPECT_THAT(note->kinds, testing::ElementsAre("capstan.expander/1"));
}

TEST(PluginNote, IsRequired) {
    EXPECT_EQ(message_of(note_of(tiny("tiny_without_note"))),
              "is not a Capstan plugin: it has no Capstan note");
}

TEST(PluginNote, ReportsUnsupportedVersions) {
    EXPECT_EQ(note_refusal_with(offsetof(capstan_note, abi_minor_required), std::uint16_t{3}),
              "requires ABI 1.3, this host offers 1.0");
    EXPECT_EQ(note_refusal_with(offsetof(capstan_note, abi_major), std::uint16_t{2}),
              "is built for ABI major 2, this host offers 1.0");
    EXPECT_EQ(note_refusal_with(offsetof(capstan_note, magic), std::uint32_t{0x32504143}),
              "has a Capstan note with magic 0x32504143, expected 0x31504143");
}

TEST(PluginNote, IgnoresTheMinorVersionItWasBuiltWith) {
    EXPECT_EQ(note_refusal_with(offsetof(capstan_note, abi_minor_built), std::uint16_t{9}),
              "no error");
}

TEST(PluginNote, RefusesUnterminatedAndInvalidTexts) {
    std::array<char, sizeof(capstan_note::plugin_id)> endless;
    endless.fill('a');
    EXPECT_THAT(note_refusal_with(offsetof(capstan_note, plugin_id), endless),
                HasSubstr("plugin id does not end"));
    EXPECT_THAT(note_refusal_with(offsetof(capstan_note, plugin_id), '\0'), HasSubstr("is empty"));
    EXPECT_THAT(note_refusal_with(offsetof(capstan_note, version), '\n'),
                HasSubstr("version is not plain text"));
    EXPECT_THAT(note_refusal_with(offsetof(capstan_note, kinds), '/'),
                HasSubstr("is not a kind like"));
    EXPECT_THAT(note_refusal_with(offsetof(capstan_note, kinds), '\0'), HasSubstr("lists no kind"));
}

TEST(PluginNote, RefusesANoteBeyondItsSegment) {
    const FileBytes bytes =
        with_note(tiny(), offsetof(capstan_note, descsz), std::uint32_t{0x7fffffff});
    EXPECT_THAT(message_of(read_elf(bytes)), HasSubstr("a note reaches past its segment"));
}

TEST(PluginNote, RecognizesKinds) {
    EXPECT_TRUE(is_kind("capstan.cloud/1"));
    EXPECT_TRUE(is_kind("acme.pod_rank/12"));
    for (const char* bad :
         {"", "/", "/1", "capstan.cloud", "capstan.cloud/", "capstan.cloud/one", "Cloud/1"})
        EXPECT_FALSE(is_kind(bad)) << bad;
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
