#include "plugin_runtime/services/cache_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

#include <capstan/ascii.hpp>

#include "io/file_descriptor.hpp"

namespace capstan::plugin_runtime::services {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t cache_name_limit = 100;

/// Whether a blob or an instance may have that name: it does not lead out of its folder, and does
/// not begin with '.', as files of the store itself do.
bool is_cache_name(std::string_view name) {
    return !name.empty() && name.size() <= cache_name_limit && name[0] != '.' &&
           std::ranges::all_of(
               name, [](char c) { return is_ascii_alnum(c) || c == '_' || c == '-' || c == '.'; });
}

Unexpected cannot(const char* what, const fs::path& file) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable;
    return fail(code,
                std::string("cache: ") + what + " " + file.string() + ": " + io::errno_message());
}

/// The size of the instance's other files. Files that cannot be inspected count as empty.
std::size_t size_of_others(const fs::path& file) {
    std::size_t sum = 0;
    std::error_code error;
    for (fs::directory_iterator at(file.parent_path(), error), end; !error && at != end;
         at.increment(error)) {
        std::error_code ignored;
        const auto size = fs::file_size(at->path(), ignored);
        if (!ignored && at->path() != file) sum += size;
    }
    return sum;
}

Result<void> write_blob(const fs::path& file, std::string_view value) {
    const io::FileDescriptor fd(
        ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return cannot("create", file);
    if (!write_all(fd, std::as_bytes(std::span(value)))) return cannot("write", file);
    // Else a power failure could leave the name of a file that is not written yet.
    if (::fsync(fd.get()) != 0) return cannot("sync", file);
    return {};
}

Result<std::string> read_whole(const io::FileDescriptor& fd, std::size_t size,
                               const fs::path& file) {
    std::string out(size, '\0');
    std::size_t done = 0;
    while (done < size) {
        const ssize_t n = ::read(fd.get(), out.data() + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return cannot("read", file);
        if (n == 0)
            return fail(ErrorCode::unavailable,
                        "cache: " + file.string() + " was truncated while reading");
        done += static_cast<std::size_t>(n);
    }
    return out;
}

}  // namespace

Result<fs::path> CacheStore::file_of(const PluginInstanceId& owner, std::string_view name) const {
    if (!is_cache_name(name) || !is_cache_name(owner.value()))
        return fail(ErrorCode::invalid_argument,
                    "cache: names are 1 to 100 letters, digits, '_', '-' and '.'");
    return folder_ / owner.value() / name;
}

Result<CachedBlob> CacheStore::get(const PluginInstanceId& owner, std::string_view name) const {
    CAPSTAN_TRY(const fs::path file, file_of(owner, name));
    const io::FileDescriptor fd(
        ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd) return cannot("open", file);
    struct stat facts{};
    if (::fstat(fd.get(), &facts) != 0) return cannot("stat", file);
    const auto size = static_cast<std::size_t>(facts.st_size);
    if (!S_ISREG(facts.st_mode) || size > limits_.blob)
        return fail(ErrorCode::unavailable, "cache: " + file.string() + " is not a cache file");
    CAPSTAN_TRY(std::string value, read_whole(fd, size, file));
    const std::int64_t put_ns =
        std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec;
    return CachedBlob{std::move(value), time_from_unix_ns(put_ns)};
}

Result<void> CacheStore::put(const PluginInstanceId& owner, std::string_view name,
                             std::string_view value) {
    CAPSTAN_TRY(const fs::path file, file_of(owner, name));
    const std::lock_guard lock(mutex_);
    if (value.size() > limits_.blob || size_of_others(file) + value.size() > limits_.instance)
        return fail(ErrorCode::quota, "cache: no room for " + std::to_string(value.size()) +
                                          " bytes of " + file.string());
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    const fs::path fresh = file.parent_path() / ("." + std::string(name) + ".new");
    Result<void> written = write_blob(fresh, value);
    if (written && ::rename(fresh.c_str(), file.c_str()) != 0) written = cannot("rename", fresh);
    if (written) return {};
    fs::remove(fresh, error);
    return fail(ErrorCode::unavailable, std::move(written).error().message);
}

Result<void> CacheStore::remove(const PluginInstanceId& owner, std::string_view name) {
    CAPSTAN_TRY(const fs::path file, file_of(owner, name));
    const std::lock_guard lock(mutex_);
    if (::unlink(file.c_str()) != 0) return cannot("remove", file);
    return {};
}

}  // namespace capstan::plugin_runtime::services
