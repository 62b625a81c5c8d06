/// Which files may become part of the host: a plugin's code can do whatever the host can.
///
/// A plugin file and every folder above it is owned by root or by the user the host runs as, and
/// none of them may be written by its group or by others; folders with the sticky bit, such as a
/// temporary directory, may, since only an owner can replace a file there. Links are followed
/// first, and the rules are those of the place they lead to.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "io/file_descriptor.hpp"

namespace capstan::runtime::plugin_files {

struct TrustPolicy {
    /// Where plugins named in a configuration may lie. Folders that do not exist are passed over.
    std::vector<std::filesystem::path> search_paths;
    /// Refuses a plugin of a configuration whose content is not pinned by its hash.
    bool require_sha256 = false;
};

/// Where the file was named: in a configuration, or on the command line.
enum class PathOrigin { configuration, command_line };

/// The file that `name` means, with every link resolved. Decides about the path only; open_trusted
/// checks the file.
///     "acme/score.so"   from a configuration: in the first search path that has it
///     "random"          likewise, as random.so, there or in one of its direct subfolders
///     (expanders/random.so)
///     "/opt/acme/x.so"  must lie in a search path, also after its links are resolved
/// From the command line `name` is any path, relative to the working directory.
Result<std::filesystem::path> find_plugin(const std::string& name, const TrustPolicy& policy,
                                          PathOrigin origin);

/// Opens `file`, a path without links, and checks it and each folder above it by the rules of this
/// header. Every check is made on what has been opened, not on a name that could come to mean
/// something else. Regular files only; never waits, also not for a FIFO.
Result<io::FileDescriptor> open_trusted(const std::filesystem::path& file);

/// Checks `folder`, an absolute path without links, and each folder above it.
Result<void> check_folders(const std::filesystem::path& folder);

/// "0755", as chmod writes a mode.
std::string octal(mode_t mode);

/// The rules themselves, about what fstat says.
Result<void> check_file(const struct stat& file, uid_t host_user);
Result<void> check_folder(const struct stat& folder, uid_t host_user);

// The way to a file that the dynamic loader will open by its name: later, and without us.

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

}  // namespace capstan::runtime::plugin_files
