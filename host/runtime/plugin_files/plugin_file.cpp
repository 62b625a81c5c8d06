#include "runtime/plugin_files/plugin_file.hpp"

#include <capstan/abi/plugin.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/plugin_files/file_descriptor.hpp"
#include "runtime/plugin_files/partial_file.hpp"
#include "runtime/plugin_files/refuse.hpp"
#include "runtime/plugin_files/sha256.hpp"

namespace capstan::runtime {

namespace {

/// What its first pages tell, before a byte of the rest is read: a large file that is no plugin
/// costs neither time nor memory.
Result<void> check_beginning(int fd) {
    CAPSTAN_TRY(PartialFile file, PartialFile::open(fd));
    CAPSTAN_TRY(const std::vector<ElfNote> notes, read_notes(file));
    CAPSTAN_CHECK(read_note(file.bytes(), notes));
    return {};
}

Result<std::vector<std::byte>> read_bytes(int fd, std::size_t size) {
    // One byte more than there should be, to notice a file that grows.
    std::vector<std::byte> bytes(size + 1);
    std::size_t got = 0;
    while (got < bytes.size()) {
        const ssize_t n = ::read(fd, bytes.data() + got, bytes.size() - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return refuse("cannot be read: " + errno_message());
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

/// dlsym would find this out too, but only after the constructors of the file have run.
Result<void> check_entry_symbol(const ElfFacts& elf) {
    const ElfSymbol* entry = elf.find_export(CAPSTAN_ENTRY_SYMBOL);
    if (entry == nullptr) return refuse("does not export " CAPSTAN_ENTRY_SYMBOL);
    if (!entry->is_data)
        return refuse("exports " CAPSTAN_ENTRY_SYMBOL " as something else than data");
    if (entry->size < entry_size_min)
        return refuse("exports " CAPSTAN_ENTRY_SYMBOL " with " + std::to_string(entry->size) +
                      " bytes, at least " + std::to_string(entry_size_min) + " are needed");
    return {};
}

/// The content of a pinned file is known, and its pin stands for all that comes with it.
Result<void> take_libraries(PluginFacts& facts, bool is_pinned) {
    NeededLibraries needed = find_needed(facts.path, facts.elf, LoaderPaths::of_this_process());
    facts.libraries = std::move(needed.libraries);
    for (LibraryDoubt& doubt : needed.doubts) {
        if (is_pinned || doubt.is_the_plugins) return refuse(std::move(doubt.sentence));
        facts.doubts.push_back(std::move(doubt.sentence));
    }
    return {};
}

Result<PluginFile> read_checked(const std::filesystem::path& path,
                                const std::optional<std::string>& pin) {
    CAPSTAN_TRY(const FileDescriptor fd, open_trusted(path));
    PluginFile file;
    struct stat facts{};
    if (::fstat(fd.get(), &facts) != 0) return refuse("cannot be read: " + errno_message());
    const auto size = static_cast<std::size_t>(facts.st_size);
    if (size > plugin_file_size_max)
        return refuse("has " + std::to_string(size) + " bytes, " +
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
                      ": has no sha256 in the configuration, which trust.require_sha256 asks for");
    return read_plugin_file(path, request.sha256);
}

}  // namespace capstan::runtime
