#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

#include "runtime/plugin_files/file_descriptor.hpp"
#include "runtime/services/state_store.hpp"

namespace capstan::runtime {

namespace {

/// A file is this line, the last revision, and for each value a line of three numbers and the bytes
/// of key and value.
constexpr std::string_view first_line = "capstan-state 1\n";
/// Some more than the values themselves may have, for the numbers beside them.
constexpr std::size_t file_limit = 16 * StateStore::size_limit;

std::string reason() { return std::strerror(errno); }

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

std::string written(const InstanceState& state) {
    std::string out(first_line);
    out += std::to_string(state.last_revision) + "\n";
    for (const auto& [key, stored] : state.values) {
        out += std::to_string(stored.revision) + " " + std::to_string(key.size()) + " " +
               std::to_string(stored.value.size()) + "\n" + key + stored.value;
    }
    return out;
}

/// Reads what `written` wrote, and nothing else.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    bool skip(std::string_view expected) {
        if (!rest_.starts_with(expected)) return false;
        rest_.remove_prefix(expected.size());
        return true;
    }
    bool number(std::uint64_t& out, char end) {
        const auto [at, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
        if (error != std::errc()) return false;
        rest_.remove_prefix(static_cast<std::size_t>(at - rest_.data()));
        return skip(std::string_view(&end, 1));
    }
    bool bytes(std::string& out, std::uint64_t count) {
        if (rest_.size() < count) return false;
        out = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return true;
    }
    bool is_at_end() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

bool read(Reader& in, InstanceState& state) {
    if (!in.skip(first_line) || !in.number(state.last_revision, '\n')) return false;
    while (!in.is_at_end()) {
        std::string key;
        StoredValue stored;
        std::uint64_t key_size = 0;
        std::uint64_t value_size = 0;
        if (!in.number(stored.revision, ' ') || !in.number(key_size, ' ') ||
            !in.number(value_size, '\n') || !in.bytes(key, key_size) ||
            !in.bytes(stored.value, value_size)) {
            return false;
        }
        state.values.emplace(std::move(key), std::move(stored));
    }
    return true;
}

Result<void> write_all(const FileDescriptor& fd, std::string_view bytes, const std::string& file) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(fd.get(), bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(ErrorCode::unavailable, "write " + file + ": " + reason());
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    if (::fsync(fd.get()) != 0)
        return fail(ErrorCode::unavailable, "sync " + file + ": " + reason());
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
    if (!fd) return fail(ErrorCode::unavailable, "open " + directory_.string() + ": " + reason());
    while (::flock(fd.get(), LOCK_EX) != 0) {
        if (errno != EINTR)
            return fail(ErrorCode::unavailable, "lock " + directory_.string() + ": " + reason());
    }
    return fd;
}

Result<InstanceState> FileStateStore::load(const PluginInstanceId& owner) {
    const std::filesystem::path file = directory_ / file_name(owner);
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        if (errno == ENOENT) return InstanceState();
        return fail(ErrorCode::unavailable, "open " + file.string() + ": " + reason());
    }
    std::string bytes(file_limit, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    Reader reader(bytes);
    InstanceState state;
    // Somebody else's file is not overwritten: an operator decides what becomes of it.
    if (!read(reader, state))
        return fail(ErrorCode::unavailable, file.string() + " is not a file of plugin state");
    return state;
}

Result<void> FileStateStore::save(const PluginInstanceId& owner, const InstanceState& state) {
    const std::string file = (directory_ / file_name(owner)).string();
    const std::string fresh = file + ".new";
    {
        const FileDescriptor fd(
            ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!fd) return fail(ErrorCode::unavailable, "create " + fresh + ": " + reason());
        CAPSTAN_CHECK(write_all(fd, written(state), fresh));
    }
    if (::rename(fresh.c_str(), file.c_str()) != 0) {
        return fail(ErrorCode::unavailable, "rename " + fresh + ": " + reason());
    }
    sync_directory(directory_);
    return {};
}

}  // namespace capstan::runtime
