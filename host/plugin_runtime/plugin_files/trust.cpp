#include "plugin_runtime/plugin_files/trust.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <deque>
#include <string>
#include <system_error>

#include "io/file_descriptor.hpp"
#include "plugin_runtime/plugin_files/refuse.hpp"

namespace capstan::plugin_runtime::plugin_files {

namespace fs = std::filesystem;

namespace {

Result<void> check_owner(const struct stat& facts, uid_t host_user) {
    if (facts.st_uid == 0 || facts.st_uid == host_user) return {};
    return refuse("is owned by user " + std::to_string(facts.st_uid) +
                  "; it must be owned by root or by user " + std::to_string(host_user) +
                  ", as whom the host runs");
}

/// Whether `file` is inside `folder`. Both paths are absolute, normal and without links.
bool lies_in(const fs::path& file, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
           folder.end();
}

std::string list(const std::vector<fs::path>& paths) {
    if (paths.empty()) return "no search path (trust.search_paths is empty)";
    std::string text;
    for (const fs::path& path : paths) text += (text.empty() ? "" : ", ") + path.string();
    return text;
}

/// Resolves links, and removes a trailing slash, which would count as an additional empty part.
Result<fs::path> resolve_path(const fs::path& path) {
    std::error_code error;
    fs::path real = fs::canonical(path, error);
    if (error) return refuse("cannot be opened: " + error.message());
    return real;
}

/// Finds NAME.so in the folder, or in one of its direct subfolders. Two subfolders with the file
/// are an error.
Result<fs::path> find_by_name(const std::string& name, const fs::path& folder) {
    const std::string file = name + ".so";
    std::error_code error;
    if (fs::exists(folder / file, error)) return folder / file;
    std::vector<fs::path> found;
    for (auto entry = fs::directory_iterator(folder, error);
         !error && entry != fs::directory_iterator(); entry.increment(error))
        if (std::error_code ignored;
            entry->is_directory(ignored) && fs::exists(entry->path() / file, ignored))
            found.push_back(entry->path() / file);
    std::ranges::sort(found);
    if (found.size() > 1)
        return refuse("could be any of " + list(found) + "; name one by its path");
    return found.empty() ? fs::path() : found.front();
}

Result<fs::path> find_in(const fs::path& name, const fs::path& folder) {
    if (!name.has_parent_path() && name.extension() != ".so")
        return find_by_name(name.string(), folder);
    std::error_code error;
    return fs::exists(folder / name, error) ? folder / name : fs::path();
}

/// Fails unless the resolved `file` is inside one of the folders.
Result<void> check_inside(const fs::path& file, const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders) {
        std::error_code error;
        const fs::path real = fs::canonical(folder, error);
        if (!error && lies_in(file, real)) return {};
    }
    return refuse("resolves to " + file.string() +
                  ", which is not in a search path: " + list(folders) + "; to allow it, add \"" +
                  file.parent_path().string() + "\" to [trust] search_paths");
}

/// Search paths must be absolute: a relative one would depend on the host's working folder.
Result<void> check_search_paths(const TrustPolicy& policy) {
    for (const fs::path& folder : policy.search_paths)
        if (!folder.is_absolute())
            return refuse("cannot be found: the search path " + folder.string() +
                          " is not absolute");
    return {};
}

Result<fs::path> find_configured(const std::string& name, const TrustPolicy& policy) {
    CAPSTAN_CHECK(check_search_paths(policy));
    if (fs::path(name).is_absolute()) {
        CAPSTAN_TRY(fs::path real, resolve_path(name));
        CAPSTAN_CHECK(check_inside(real, policy.search_paths));
        return real;
    }
    for (const fs::path& folder : policy.search_paths) {
        CAPSTAN_TRY(const fs::path found, find_in(name, folder));
        if (found.empty()) continue;
        CAPSTAN_TRY(fs::path real, resolve_path(found));
        // The file must be in this folder: "../x.so" and links out of the folder are errors.
        CAPSTAN_CHECK(check_inside(real, {folder}));
        return real;
    }
    return refuse("was not found in " + list(policy.search_paths));
}

/// Opens `name` inside `folder`. Refuses a link that was created after the path was resolved.
Result<io::FileDescriptor> open_in(int folder, const fs::path& name, int flags,
                                   struct stat& facts) {
    io::FileDescriptor fd(::openat(folder, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
    if (!fd || ::fstat(fd.get(), &facts) != 0)
        return refuse("cannot be opened: " + io::errno_message());
    return fd;
}

/// Opens the folder by walking down from the root, and checks each folder on the way.
Result<io::FileDescriptor> open_folder(const fs::path& folder) {
    struct stat facts{};
    CAPSTAN_TRY(io::FileDescriptor at, open_in(AT_FDCWD, "/", O_PATH | O_DIRECTORY, facts));
    fs::path so_far = "/";
    CAPSTAN_CHECK(check_folder(facts, ::geteuid()).map_error([&](Error e) {
        return within("the folder /", std::move(e));
    }));
    for (const fs::path& name : folder.relative_path()) {
        so_far /= name;
        const auto with_place = [&](Error e) {
            return within("the folder " + so_far.string(), std::move(e));
        };
        CAPSTAN_TRY(at, open_in(at.get(), name, O_PATH | O_DIRECTORY, facts).map_error(with_place));
        CAPSTAN_CHECK(check_folder(facts, ::geteuid()).map_error(with_place));
    }
    return at;
}

}  // namespace

std::string octal(mode_t mode) {
    char text[16];
    std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode & 07777));
    return text;
}

Result<void> check_file(const struct stat& file, uid_t host_user) {
    if (!S_ISREG(file.st_mode)) return refuse("is not a regular file");
    CAPSTAN_CHECK(check_owner(file, host_user));
    if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return refuse("is writable by other users (mode " + octal(file.st_mode) +
                      "); run chmod go-w on it");
    return {};
}

Result<void> check_folder(const struct stat& folder, uid_t host_user) {
    CAPSTAN_CHECK(check_owner(folder, host_user));
    if ((folder.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (folder.st_mode & S_ISVTX) != 0) return {};
    return refuse("is writable by other users (mode " + octal(folder.st_mode) +
                  "), who could replace the file");
}

Result<fs::path> find_plugin(const std::string& name, const TrustPolicy& policy,
                             PathOrigin origin) {
    const auto with_class = [&](Error e) { return within("plugin " + name, std::move(e)); };
    if (name.empty()) return refuse("a plugin's file has an empty name");
    if (name.find('\0') != std::string::npos)
        return refuse("a plugin's file name contains a zero byte");
    if (origin == PathOrigin::command_line) return resolve_path(name).map_error(with_class);
    return find_configured(name, policy).map_error(with_class);
}

Result<void> check_folders(const fs::path& folder) {
    CAPSTAN_CHECK(open_folder(folder));
    return {};
}

Result<io::FileDescriptor> open_trusted(const fs::path& file) {
    if (!file.is_absolute() || !file.has_filename())
        return refuse("is not the absolute path of a file");
    CAPSTAN_TRY(const io::FileDescriptor folder, open_folder(file.parent_path()));
    struct stat facts{};
    // Without O_NONBLOCK the host would wait for a writer of a FIFO.
    CAPSTAN_TRY(io::FileDescriptor fd,
                open_in(folder.get(), file.filename(), O_RDONLY | O_NONBLOCK, facts));
    CAPSTAN_CHECK(check_file(facts, ::geteuid()));
    return fd;
}

namespace fs = std::filesystem;

namespace {

constexpr int links_max = 40;  // as the kernel's

Error in_folder(const fs::path& folder, Error e) {
    return within("the folder " + folder.string(), std::move(e));
}

/// Whether other users may create files in the folder, as in a sticky folder.
bool takes_new_names(const struct stat& folder) {
    return (folder.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

Result<void> check_entry_of_sticky(const fs::path& entry, const struct stat* facts) {
    if (facts == nullptr)
        return refuse(entry.string() + " does not exist, and other users may create it");
    if (facts->st_uid != 0 && facts->st_uid != ::geteuid())
        return refuse(entry.string() + " is owned by user " + std::to_string(facts->st_uid));
    return {};
}

/// The parts of a path that are not resolved yet.
class Parts {
public:
    explicit Parts(const fs::path& path) { put_first(path); }
    void put_first(const fs::path& path) {
        std::deque<fs::path> front;
        for (const fs::path& part : path.relative_path()) front.push_back(part);
        parts_.insert(parts_.begin(), front.begin(), front.end());
    }
    bool empty() const { return parts_.empty(); }
    fs::path take() {
        fs::path next = std::move(parts_.front());
        parts_.pop_front();
        return next;
    }

private:
    std::deque<fs::path> parts_;
};

}  // namespace

Result<ResolvedPath> resolve_trusted(const fs::path& path) {
    if (!path.is_absolute()) return refuse("depends on the working directory");
    Parts parts(path);
    fs::path here = "/";
    struct stat facts{};
    if (::lstat("/", &facts) != 0) return refuse("cannot be examined: " + io::errno_message());
    for (int links = 0; !parts.empty();) {
        const fs::path name = parts.take();
        if (name.empty() || name == ".") continue;
        if (!S_ISDIR(facts.st_mode)) return ResolvedPath{here / name, std::nullopt};
        CAPSTAN_CHECK(check_folder(facts, ::geteuid()).map_error([&](Error e) {
            return in_folder(here, std::move(e));
        }));
        const fs::path next = name == ".." ? here.parent_path() : here / name;
        struct stat found{};
        const bool is_there = ::lstat(next.c_str(), &found) == 0;
        if (!is_there && errno != ENOENT)
            return refuse(next.string() + " cannot be examined: " + io::errno_message());
        if (takes_new_names(facts) && name != "..")
            CAPSTAN_CHECK(
                check_entry_of_sticky(next, is_there ? &found : nullptr).map_error([&](Error e) {
                    return in_folder(here, std::move(e));
                }));
        if (!is_there) return ResolvedPath{next, std::nullopt};
        if (!S_ISLNK(found.st_mode)) {
            here = next;
            facts = found;
            continue;
        }
        std::error_code error;
        const fs::path target = fs::read_symlink(next, error);
        if (error || ++links > links_max)
            return refuse(next.string() + " is a symbolic link that cannot be resolved");
        parts.put_first(target);
        if (!target.is_absolute()) continue;
        here = "/";
        if (::lstat("/", &facts) != 0) return refuse("cannot be examined: " + io::errno_message());
    }
    return ResolvedPath{here, facts};
}

}  // namespace capstan::plugin_runtime::plugin_files
