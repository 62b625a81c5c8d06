#include "plugin_runtime/plugin_files/plugin_note.hpp"

#include <capstan/abi/plugin.h>
#include <capstan/ascii.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "plugin_runtime/plugin_files/elf_file.hpp"
#include "plugin_runtime/plugin_files/refuse.hpp"

namespace capstan::plugin_runtime::plugin_files {

namespace {

static_assert(
    CAPSTAN_ABI_MINOR == CAPSTAN_ABI_MINOR_LATEST,
    "the host is built with every member of the headers, since it offers the newest minor");

/// The offset of the payload, behind the ELF note's header and name.
constexpr std::size_t payload_at = offsetof(capstan_note, magic);
constexpr std::size_t payload_size = sizeof(capstan_note) - payload_at;

std::string abi_text(unsigned major, unsigned minor) {
    return std::to_string(major) + "." + std::to_string(minor);
}

template <std::size_t size>
Result<std::string> note_text(const char (&array)[size], std::string_view what) {
    const std::string_view all(array, size);
    const std::size_t end = all.find('\0');
    if (end == std::string_view::npos)
        return refuse("has a damaged Capstan note: its " + std::string(what) + " does not end");
    if (!std::ranges::all_of(all.substr(0, end), [](char c) { return c > ' ' && c <= '~'; }))
        return refuse("has a damaged Capstan note: its " + std::string(what) +
                      " is not plain text");
    return std::string(all.substr(0, end));
}

/// Why this host cannot read a Capstan note, or nothing. The first 8 bytes have the same meaning in
/// all major versions.
std::optional<std::string> mismatch(Bytes payload) {
    const std::uint32_t magic = read_at<std::uint32_t>(payload, 0).value_or(0);
    const std::uint16_t major = read_at<std::uint16_t>(payload, 4).value_or(0);
    if (magic != CAPSTAN_MAGIC)
        return "has a Capstan note with magic " + magic_text(magic) + ", expected " +
               magic_text(CAPSTAN_MAGIC);
    if (major != CAPSTAN_ABI_MAJOR)
        return "is built for ABI major " + std::to_string(major) + ", this host offers " +
               abi_text(CAPSTAN_ABI_MAJOR, CAPSTAN_ABI_MINOR_LATEST);
    return std::nullopt;
}

/// A file may have one note for each major version that it supports.
Result<ElfNote> find_note(Bytes bytes, const std::vector<ElfNote>& notes) {
    std::optional<ElfNote> ours;
    std::string reason = "is not a Capstan plugin: it has no Capstan note";
    for (const ElfNote& note : notes) {
        if (note.name != "CAP" || note.type != CAPSTAN_NOTE_TYPE) continue;
        if (const auto why = mismatch(part(bytes, note.at, note.size))) {
            reason = *why;
        } else if (ours) {
            return refuse("has two Capstan notes; one CAPSTAN_PLUGIN belongs in a file");
        } else {
            ours = note;
        }
    }
    if (!ours) return refuse(reason);
    return *ours;
}

Result<capstan_note> read_payload(Bytes bytes, const ElfNote& found) {
    if (found.size != payload_size)
        return refuse("has a damaged Capstan note: " + std::to_string(found.size) +
                      " bytes long, expected " + std::to_string(payload_size));
    capstan_note note{};
    std::memcpy(reinterpret_cast<char*>(&note) + payload_at, bytes.data() + found.at, payload_size);
    return note;
}

Result<std::vector<std::string>> split_kinds(std::string_view list) {
    std::vector<std::string> kinds;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(';', at), list.size());
        kinds.emplace_back(list.substr(at, end - at));
        if (!is_kind(kinds.back()))
            return refuse("has a damaged Capstan note: \"" + kinds.back() +
                          "\" is not a kind like \"capstan.expander/1\"");
        at = end + 1;
    }
    if (kinds.empty()) return refuse("has a damaged Capstan note: it lists no kind");
    return kinds;
}

}  // namespace

std::string magic_text(std::uint32_t magic) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", magic);
    return text;
}

bool is_kind(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == 0 || slash == std::string_view::npos || slash + 1 == text.size()) return false;
    const auto is_name = [&](char c) {
        return is_ascii_lower(c) || is_ascii_digit(c) || c == '.' || c == '_' || c == '-';
    };
    return std::ranges::all_of(text.substr(0, slash), is_name) &&
           std::ranges::all_of(text.substr(slash + 1), is_ascii_digit);
}

Result<PluginNote> read_note(std::span<const std::byte> bytes, const std::vector<ElfNote>& notes) {
    CAPSTAN_TRY(const ElfNote found, find_note(bytes, notes));
    CAPSTAN_TRY(const capstan_note note, read_payload(bytes, found));
    if (note.abi_minor_required > CAPSTAN_ABI_MINOR_LATEST)
        return refuse("requires ABI " + abi_text(note.abi_major, note.abi_minor_required) +
                      ", this host offers " +
                      abi_text(CAPSTAN_ABI_MAJOR, CAPSTAN_ABI_MINOR_LATEST));
    PluginNote out;
    out.abi_major = note.abi_major;
    out.abi_minor_built = note.abi_minor_built;
    out.abi_minor_required = note.abi_minor_required;
    CAPSTAN_TRY(out.sdk, note_text(note.sdk, "SDK version"));
    CAPSTAN_TRY(out.plugin_id, note_text(note.plugin_id, "plugin id"));
    CAPSTAN_TRY(out.version, note_text(note.version, "version"));
    CAPSTAN_TRY(const std::string kinds, note_text(note.kinds, "list of kinds"));
    CAPSTAN_TRY(out.kinds, split_kinds(kinds));
    if (out.plugin_id.empty() || out.version.empty())
        return refuse("has a damaged Capstan note: its plugin id or version is empty");
    return out;
}

}  // namespace capstan::plugin_runtime::plugin_files
