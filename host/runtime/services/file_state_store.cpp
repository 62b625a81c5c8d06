#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <optional>
#include <span>
#include <utility>

#include "runtime/plugin_files/file_descriptor.hpp"
#include "runtime/services/state_store.hpp"
#include "runtime/services/state_text.hpp"

namespace capstan::runtime {

namespace {

/// Instance ids become file names: what is not a letter, digit, '-' or '_' is written as %XX.
std::string file_name(const PluginInstanceId& owner) {
    std::string name;
    for (const char c : owner.value()) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
            name += c;
            continue;
        }
        constexpr std::string_view digits = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        name += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return name + ".state";
}

Result<void> write_synced(const FileDescriptor& fd, std::string_view text,
                          const std::string& file) {
    if (!write_all(fd, std::as_bytes(std::span(text))))
        return fail(ErrorCode::unavailable, "write " + file + ": " + errno_message());
    if (::fsync(fd.get()) != 0)
        return fail(ErrorCode::unavailable, "sync " + file + ": " + errno_message());
    return {};
}

/// Makes a rename survive a power failure.
void sync_directory(const std::filesystem::path& directory) {
    const FileDescriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd) ::fsync(fd.get());
}

}  // namespace

Result<FileDescriptor> FileStateStore::hold() {
    FileDescriptor fd(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd)
        return fail(ErrorCode::unavailable, "open " + directory_.string() + ": " + errno_message());
    while (::flock(fd.get(), LOCK_EX) != 0) {
        if (errno != EINTR)
            return fail(ErrorCode::unavailable,
                        "lock " + directory_.string() + ": " + errno_message());
    }
    return fd;
}

Result<InstanceState> FileStateStore::load(const PluginInstanceId& owner) {
    const std::filesystem::path file = directory_ / file_name(owner);
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        if (errno == ENOENT) return InstanceState();
        return fail(ErrorCode::unavailable, "open " + file.string() + ": " + errno_message());
    }
    std::string bytes(state_text_limit, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    // Somebody else's file is not overwritten: an operator decides what becomes of it.
    std::optional<InstanceState> state = find_state(bytes);
    if (!state)
        return fail(ErrorCode::unavailable, file.string() + " is not a file of plugin state");
    return *std::move(state);
}

Result<void> FileStateStore::save(const PluginInstanceId& owner, const InstanceState& state) {
    const std::string file = (directory_ / file_name(owner)).string();
    const std::string fresh = file + ".new";
    {
        const FileDescriptor fd(
            ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!fd) return fail(ErrorCode::unavailable, "create " + fresh + ": " + errno_message());
        CAPSTAN_CHECK(write_synced(fd, state_text(state), fresh));
    }
    if (::rename(fresh.c_str(), file.c_str()) != 0) {
        return fail(ErrorCode::unavailable, "rename " + fresh + ": " + errno_message());
    }
    sync_directory(directory_);
    return {};
}

}  // namespace capstan::runtime
