/// The way to a file that the dynamic loader will open by its name: later, and without us.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include <capstan/result.hpp>

namespace capstan::runtime {

/// Where a path leads, every link on the way resolved.
struct WayEnd {
    std::filesystem::path path;
    std::optional<struct stat> facts;  ///< nothing: there is no such file or folder
};

/// Follows `path` from the root on and checks each folder passed, also those that hold a link or
/// that a link leads through, by the rules of trust.hpp. In a folder with the sticky bit that
/// others may write, what comes next must be there and be root's or this process' user's, or others
/// could make it. Then no user but those two can make the path lead elsewhere. A relative path is
/// refused. The end itself is not judged.
Result<WayEnd> follow_trusted(const std::filesystem::path& path);

}  // namespace capstan::runtime
