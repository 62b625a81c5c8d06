#include "plugin_runtime/plugin_files/plugin_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>

#include <capstan/abi/plugin.h>
#include <capstan/view.hpp>

#include "io/file_descriptor.hpp"
#include "plugin_runtime/plugin_files/partial_file.hpp"
#include "plugin_runtime/plugin_files/refuse.hpp"
#include "plugin_runtime/plugin_files/sha256.hpp"

namespace capstan::plugin_runtime::plugin_files {

namespace {

/// Checks the first pages before the rest is read, so that a large file that is no plugin costs
/// neither time nor memory.
Result<void> check_beginning(int fd) {
    CAPSTAN_TRY(PartialFile file, PartialFile::open(fd));
    CAPSTAN_TRY(const std::vector<ElfNote> notes, read_notes(file));
    CAPSTAN_CHECK(read_note(file.bytes(), notes));
    return {};
}

Result<std::vector<std::byte>> read_bytes(int fd, std::size_t size) {
    // One byte more than the file's size, to notice a file that grows.
    std::vector<std::byte> bytes(size + 1);
    std::size_t got = 0;
    while (got < bytes.size()) {
        const ssize_t n = ::read(fd, bytes.data() + got, bytes.size() - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return refuse("cannot be read: " + io::errno_message());
        if (n == 0) break;
        got += static_cast<std::size_t>(n);
    }
    if (got != size) return refuse("changed while it was read");
    bytes.pop_back();
    return bytes;
}

Result<void> check_pin(const std::string& sha256, const std::optional<std::string>& pin) {
    if (!pin) return {};
    CAPSTAN_TRY(const std::string expected, parse_sha256(*pin));
    if (sha256 != expected)
        return refuse("has sha256 " + sha256 + ", the configuration pins " + expected);
    return {};
}

/// Checks the exported symbol here, because dlsym could do so only after the file's constructors
/// have run.
Result<void> check_entry_symbol(const ElfFacts& elf) {
    const ElfSymbol* entry = elf.find_export(CAPSTAN_ENTRY_SYMBOL);
    if (entry == nullptr) return refuse("does not export " CAPSTAN_ENTRY_SYMBOL);
    if (!entry->is_data) return refuse("exports " CAPSTAN_ENTRY_SYMBOL ", but not as data");
    if (entry->size < entry_size_min)
        return refuse("exports " CAPSTAN_ENTRY_SYMBOL " with " + std::to_string(entry->size) +
                      " bytes, at least " + std::to_string(entry_size_min) + " are needed");
    return {};
}

/// A pin stands for the file together with its libraries, so for a pinned file each warning about a
/// library is an error.
Result<void> take_libraries(PluginFacts& facts, bool is_pinned) {
    NeededLibraries needed = find_needed(facts.path, facts.elf, LoaderPaths::of_this_process());
    facts.libraries = std::move(needed.libraries);
    for (LibraryWarning& warning : needed.warnings) {
        if (is_pinned || warning.is_about_plugin) return refuse(std::move(warning.sentence));
        facts.warnings.push_back(std::move(warning.sentence));
    }
    return {};
}

Result<PluginFile> read_checked(const std::filesystem::path& path,
                                const std::optional<std::string>& pin) {
    CAPSTAN_TRY(const io::FileDescriptor fd, open_trusted(path));
    PluginFile file;
    struct stat facts{};
    if (::fstat(fd.get(), &facts) != 0) return refuse("cannot be read: " + io::errno_message());
    const auto size = static_cast<std::size_t>(facts.st_size);
    if (size > plugin_file_size_max)
        return refuse("has " + std::to_string(size) + " bytes; at most " +
                      std::to_string(plugin_file_size_max) + " are allowed");
    CAPSTAN_CHECK(check_beginning(fd.get()));
    CAPSTAN_TRY(file.bytes, read_bytes(fd.get(), size));
    file.facts.path = path;
    file.facts.owner = facts.st_uid;
    file.facts.mode = facts.st_mode & 07777;
    file.facts.size = file.bytes.size();
    file.facts.sha256 = sha256_hex(file.bytes);
    CAPSTAN_CHECK(check_pin(file.facts.sha256, pin));
    CAPSTAN_TRY(file.facts.elf, read_elf(file.bytes));
    CAPSTAN_TRY(file.facts.note, read_note(file.bytes, file.facts.elf));
    CAPSTAN_CHECK(check_entry_symbol(file.facts.elf));
    CAPSTAN_CHECK(take_libraries(file.facts, pin.has_value()));
    return file;
}

}  // namespace

Result<PluginFile> read_plugin_file(const std::filesystem::path& path,
                                    const std::optional<std::string>& pin) {
    return read_checked(path, pin).map_error(
        [&](Error e) { return within("plugin " + path.string(), std::move(e)); });
}

Result<PluginFile> read_plugin(const PluginRequest& request, const TrustPolicy& policy) {
    CAPSTAN_TRY(const std::filesystem::path path,
                find_plugin(request.file, policy, request.origin));
    if (policy.require_sha256 && !request.sha256 && request.origin == PathOrigin::configuration)
        return refuse("plugin " + path.string() +
                      ": has no sha256 in the configuration, which trust.require_sha256 requires");
    return read_plugin_file(path, request.sha256);
}

namespace {

constexpr int depth_max = 8;
constexpr int fields_max = 4096;
constexpr std::uint32_t values_max = 1024;
constexpr std::size_t key_size_max = 256;
constexpr std::size_t text_size_max = std::size_t{64} << 10;
/// The size of a field in ABI 1.0. Later minor versions append members.
constexpr std::size_t field_size_min =
    offsetof(capstan_field, replaced_by) + sizeof(capstan_field::replaced_by);

Result<void> check_allowed(const capstan_field& field) {
    CAPSTAN_CHECK(
        check_array(field.allowed, "list of allowed values", sizeof(capstan_str), values_max));
    if (field.type == CAPSTAN_TYPE_ENUM && field.allowed.count == 0)
        return refuse("is an enum without values");
    for (const capstan_str& value : View<capstan_str>(field.allowed))
        CAPSTAN_CHECK(checked_text(value, "allowed value", key_size_max));
    return {};
}

/// Refuses a bound without its flag: the plugin's author expects the bound, and the host would
/// ignore it.
Result<void> check_bound(const capstan_field& field, std::uint32_t flag, double bound,
                         const std::string& name) {
    if ((field.flags & flag) == 0) {
        if (bound == 0) return {};
        return refuse("has a " + name + " without CAPSTAN_FIELD_" +
                      (name == "min" ? "MIN" : "MAX"));
    }
    if (!std::isfinite(bound)) return refuse("has a " + name + " that is not a number");
    return {};
}

Result<void> check_field_bounds(const capstan_field& field) {
    CAPSTAN_CHECK(check_bound(field, CAPSTAN_FIELD_MIN, field.min, "min"));
    CAPSTAN_CHECK(check_bound(field, CAPSTAN_FIELD_MAX, field.max, "max"));
    constexpr std::uint32_t both = CAPSTAN_FIELD_MIN | CAPSTAN_FIELD_MAX;
    if ((field.flags & both) == both && field.min > field.max)
        return refuse("has a min above its max");
    return {};
}

Result<void> check_field(const capstan_field& field) {
    if (field.type < CAPSTAN_TYPE_STRING || field.type > CAPSTAN_TYPE_TABLE)
        return refuse("has the unknown type " + std::to_string(field.type));
    CAPSTAN_CHECK(checked_text(field.doc, "doc", text_size_max));
    CAPSTAN_CHECK(checked_text(field.default_value, "default", text_size_max));
    CAPSTAN_CHECK(checked_text(field.instance_kind, "instance kind", key_size_max));
    CAPSTAN_CHECK(checked_text(field.replaced_by, "replacement", key_size_max));
    CAPSTAN_CHECK(check_field_bounds(field));
    return check_allowed(field);
}

Result<void> check_shape(capstan_array fields, int depth) {
    if (depth > depth_max)
        return refuse("is nested more than " + std::to_string(depth_max) + " deep");
    return check_array(fields, "list of fields", field_size_min, fields_max);
}

/// Checks one level of a schema. `path` is the path of its table ("retry."). `left` is the number
/// of fields that all remaining levels may have.
Result<void> check_level(capstan_array fields, const std::string& path, int depth, int& left) {
    const auto within_field = [](const std::string& name) {
        return [name](Error e) { return within("field " + name, std::move(e)); };
    };
    CAPSTAN_CHECK(check_shape(fields, depth).map_error(within_field(path + "*")));
    std::set<std::string_view> keys;
    for (const capstan_field& field : View<capstan_field>(fields)) {
        if (--left < 0) return refuse("has more than " + std::to_string(fields_max) + " fields");
        if (field.struct_size < field_size_min || field.struct_size > fields.stride)
            return refuse("has a field whose struct_size is " + std::to_string(field.struct_size));
        CAPSTAN_TRY(
            const std::string_view key,
            checked_text(field.key, "key", key_size_max).map_error(within_field(path + "*")));
        const std::string name = path + std::string(key);
        if (key.empty()) return refuse("has a field without a key");
        if (!keys.insert(key).second) return refuse("has two fields \"" + name + "\"");
        CAPSTAN_CHECK(check_field(field).map_error(within_field(name)));
        if (field.fields.count == 0) continue;
        CAPSTAN_CHECK(check_level(field.fields, name + ".", depth + 1, left));
    }
    return {};
}

}  // namespace

Result<std::string_view> checked_text(capstan_str text, std::string_view what,
                                      std::size_t size_max) {
    const std::string name(what);
    if (text.len > size_max)
        return refuse("has a " + name + " of " + std::to_string(text.len) + " bytes; at most " +
                      std::to_string(size_max) + " are allowed");
    if (text.ptr == nullptr && text.len != 0)
        return refuse("has a " + name + " with a length but no text");
    return capstan::text(text);
}

Result<void> check_array(capstan_array array, std::string_view what, std::size_t element_min,
                         std::uint32_t count_max) {
    if (array.count == 0) return {};
    const std::string name(what);
    if (array.count > count_max)
        return refuse("has a " + name + " with " + std::to_string(array.count) +
                      " elements; at most " + std::to_string(count_max) + " are allowed");
    if (array.data == nullptr) return refuse("has a " + name + " with a count but no data");
    if (array.stride < element_min || array.stride % alignof(void*) != 0)
        return refuse("has a " + name + " whose stride is " + std::to_string(array.stride) +
                      ", at least " + std::to_string(element_min) + " is needed");
    if (reinterpret_cast<std::uintptr_t>(array.data) % alignof(void*) != 0)
        return refuse("has a " + name + " that is not aligned");
    return {};
}

Result<void> check_fields(capstan_array fields) {
    int left = fields_max;
    return check_level(fields, "", 1, left);
}

}  // namespace capstan::plugin_runtime::plugin_files
