#include "plugin_runtime/plugin_files/private_copies.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "io/file_descriptor.hpp"
#include "plugin_runtime/plugin_files/refuse.hpp"
#include "plugin_runtime/plugin_files/trust.hpp"

namespace capstan::plugin_runtime::plugin_files {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view folder_prefix = "capstan-plugins-";

Unexpected refuse_with_errno(const std::string& what) {
    return refuse(what + ": " + io::errno_message());
}

/// The topmost folder on the same file system as `folder`.
fs::path mount_of(fs::path folder) {
    struct stat here{};
    struct stat above{};
    while (folder.has_relative_path() && ::stat(folder.c_str(), &here) == 0 &&
           ::stat(folder.parent_path().c_str(), &above) == 0 && here.st_dev == above.st_dev)
        folder = folder.parent_path();
    return folder;
}

Result<void> check_mount(const fs::path& place) {
    struct statvfs facts{};
    if (::statvfs(place.c_str(), &facts) != 0) return refuse_with_errno("cannot be used");
    if ((facts.f_flag & ST_NOEXEC) != 0)
        return refuse("does not allow execution (" + mount_of(place).string() +
                      " is mounted noexec)");
    if ((facts.f_flag & ST_RDONLY) != 0)
        return refuse("is not writable (" + mount_of(place).string() + " is mounted read-only)");
    return {};
}

/// The lock on a folder's descriptor, or nothing while another process holds it.
io::FileDescriptor lock_folder(const fs::path& folder) {
    io::FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return {};
    return fd;
}

/// A path to the folder itself, even if its name refers to another folder by now.
fs::path descriptor_path(const io::FileDescriptor& fd) {
    return "/proc/self/fd/" + std::to_string(fd.get());
}

/// Removes the copies in a folder, and no other files.
void remove_copies(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> copies;
    for (auto entry = fs::directory_iterator(folder, error);
         !error && entry != fs::directory_iterator(); entry.increment(error))
        if (const fs::path kind = entry->path().extension(); kind == ".so" || kind == ".part")
            copies.push_back(entry->path());
    for (const fs::path& copy : copies) fs::remove(copy, error);
}

/// Removes the folders of ended processes, which are not locked any more. Ignores errors.
void remove_abandoned(const fs::path& place) {
    std::error_code error;
    std::vector<fs::path> ours;
    for (auto entry = fs::directory_iterator(place, error);
         !error && entry != fs::directory_iterator(); entry.increment(error)) {
        struct stat facts{};
        if (entry->path().filename().string().starts_with(folder_prefix) &&
            ::lstat(entry->path().c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
            facts.st_uid == ::geteuid())
            ours.push_back(entry->path());
    }
    for (const fs::path& folder : ours)
        if (const io::FileDescriptor lock = lock_folder(folder)) {
            remove_copies(descriptor_path(lock));
            fs::remove(folder, error);
        }
}

bool is_still_there(const fs::path& folder, int fd) {
    struct stat by_name{};
    struct stat by_fd{};
    return ::lstat(folder.c_str(), &by_name) == 0 && ::fstat(fd, &by_fd) == 0 &&
           by_name.st_ino == by_fd.st_ino && by_name.st_dev == by_fd.st_dev;
}

/// A new, locked folder in `place`.
Result<std::pair<fs::path, io::FileDescriptor>> make_folder(const fs::path& place) {
    // Another host's cleanup may remove the new folder before it is locked. Then another folder is
    // created.
    for (int attempt = 0; attempt < 10; ++attempt) {
        std::string name = (place / (std::string(folder_prefix) + "XXXXXX")).string();
        if (::mkdtemp(name.data()) == nullptr) return refuse_with_errno("cannot be written");
        io::FileDescriptor lock = lock_folder(name);
        if (lock && is_still_there(name, lock.get()))
            return std::pair(fs::path(name), std::move(lock));
    }
    return refuse("loses folders that are created in it");
}

Result<void> write_file(const fs::path& file, std::span<const std::byte> bytes) {
    const io::FileDescriptor fd(
        ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return refuse_with_errno("cannot be created");
    if (!write_all(fd, bytes)) return refuse_with_errno("cannot be written");
    if (::fchmod(fd.get(), 0500) != 0) return refuse_with_errno("cannot be made executable");
    return {};
}

}  // namespace

std::vector<fs::path> PrivateCopies::default_places() {
    std::vector<fs::path> places;
    if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime == '/')
        places.emplace_back(runtime);
    const char* temporary = std::getenv("TMPDIR");
    places.emplace_back(temporary != nullptr && *temporary == '/' ? temporary : "/tmp");
    places.emplace_back("/var/tmp");
    places.emplace_back("/dev/shm");
    return places;
}

Result<PrivateCopies> PrivateCopies::create(const std::vector<fs::path>& places) {
    std::string reasons;
    for (const fs::path& named : places) {
        std::error_code error;
        const fs::path place = fs::canonical(named, error);
        const Result<void> good =
            error ? refuse("cannot be used: " + error.message()) : check_mount(place);
        if (good) {
            remove_abandoned(place);
            auto made = make_folder(place);
            if (made) return PrivateCopies(std::move(made->first), std::move(made->second));
            reasons += "; " + named.string() + " " + made.error().message;
        } else {
            reasons += "; " + named.string() + " " + good.error().message;
        }
    }
    return refuse("no folder for a private copy" + reasons +
                  "; set TMPDIR to a folder that allows execution");
}

PrivateCopies::PrivateCopies(fs::path folder, io::FileDescriptor lock)
    : folder_(std::move(folder)),
      lock_(std::move(lock)),
      access_path_(check_folders(folder_.parent_path()) ? folder_ : descriptor_path(lock_)) {}

PrivateCopies::~PrivateCopies() {
    if (!lock_) return;  // moved from
    std::error_code ignored;
    remove_copies(descriptor_path(lock_));
    fs::remove(folder_, ignored);
}

Result<fs::path> PrivateCopies::write(std::span<const std::byte> bytes,
                                      const std::string& sha256) const {
    fs::path file = access_path_ / (sha256 + ".so");
    std::error_code error;
    if (fs::exists(file, error)) return file;
    const fs::path unfinished = access_path_ / (sha256 + ".part");
    const auto with_place = [&](Error e) {
        return within("private copy " + unfinished.string(), std::move(e));
    };
    CAPSTAN_CHECK(write_file(unfinished, bytes).map_error(with_place));
    if (::rename(unfinished.c_str(), file.c_str()) != 0)
        return refuse_with_errno("private copy " + file.string() + " cannot be renamed");
    return file;
}

void PrivateCopies::remove(const fs::path& copy) const {
    std::error_code ignored;
    fs::remove(copy, ignored);
}

}  // namespace capstan::plugin_runtime::plugin_files
