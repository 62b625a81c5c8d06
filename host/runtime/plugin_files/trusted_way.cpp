#include "runtime/plugin_files/trusted_way.hpp"

#include <unistd.h>

#include <cerrno>
#include <deque>
#include <string>
#include <system_error>

#include "runtime/plugin_files/file_descriptor.hpp"
#include "runtime/plugin_files/refuse.hpp"
#include "runtime/plugin_files/trust.hpp"

namespace capstan::runtime {

namespace fs = std::filesystem;

namespace {

constexpr int links_max = 40;  // as the kernel's

Error in_folder(const fs::path& folder, Error e) {
    return within("the folder " + folder.string(), std::move(e));
}

/// Sticky folders let every user make new names in them.
bool takes_new_names(const struct stat& folder) {
    return (folder.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

Result<void> check_entry_of_sticky(const fs::path& entry, const struct stat* facts) {
    if (facts == nullptr) return refuse(entry.string() + " is not there, and others may make it");
    if (facts->st_uid != 0 && facts->st_uid != ::geteuid())
        return refuse(entry.string() + " is owned by user " + std::to_string(facts->st_uid));
    return {};
}

/// The parts of a path that are still to be gone.
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

Result<WayEnd> follow_trusted(const fs::path& path) {
    if (!path.is_absolute()) return refuse("depends on where the host was started");
    Parts parts(path);
    fs::path here = "/";
    struct stat facts{};
    if (::lstat("/", &facts) != 0) return refuse("cannot be looked at: " + errno_message());
    for (int links = 0; !parts.empty();) {
        const fs::path name = parts.take();
        if (name.empty() || name == ".") continue;
        if (!S_ISDIR(facts.st_mode)) return WayEnd{here / name, std::nullopt};
        CAPSTAN_CHECK(check_folder(facts, ::geteuid()).map_error([&](Error e) {
            return in_folder(here, std::move(e));
        }));
        const fs::path next = name == ".." ? here.parent_path() : here / name;
        struct stat found{};
        const bool is_there = ::lstat(next.c_str(), &found) == 0;
        if (!is_there && errno != ENOENT)
            return refuse(next.string() + " cannot be looked at: " + errno_message());
        if (takes_new_names(facts) && name != "..")
            CAPSTAN_CHECK(
                check_entry_of_sticky(next, is_there ? &found : nullptr).map_error([&](Error e) {
                    return in_folder(here, std::move(e));
                }));
        if (!is_there) return WayEnd{next, std::nullopt};
        if (!S_ISLNK(found.st_mode)) {
            here = next;
            facts = found;
            continue;
        }
        std::error_code error;
        const fs::path target = fs::read_symlink(next, error);
        if (error || ++links > links_max)
            return refuse(next.string() + " leads through too many links, or nowhere");
        parts.put_first(target);
        if (!target.is_absolute()) continue;
        here = "/";
        if (::lstat("/", &facts) != 0) return refuse("cannot be looked at: " + errno_message());
    }
    return WayEnd{here, facts};
}

}  // namespace capstan::runtime
