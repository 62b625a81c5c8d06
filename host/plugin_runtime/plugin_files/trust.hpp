/// Which files may be loaded as plugins. A plugin's code can do whatever the host can do, so no
/// other user may be able to replace the file.
///
/// A plugin file and all folders above it must be owned by root or by the host's user, and must not
/// be writable by their group or by others. A folder with the sticky bit, such as a temporary
/// directory, may be writable, because only an owner can replace a file there. Links are resolved
/// first, and the rules apply to their target.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "io/file_descriptor.hpp"

namespace capstan::plugin_runtime::plugin_files {

struct TrustPolicy {
    /// The folders of plugins that a configuration names. Folders that do not exist are ignored.
    std::vector<std::filesystem::path> search_paths;
    /// Refuses a plugin of a configuration that is not pinned by a hash.
    bool require_sha256 = false;
};

/// The source of a file's name.
enum class PathOrigin { configuration, command_line };

/// The file that `name` refers to, with all links resolved. Checks only the path; open_trusted
/// checks the file.
///     "acme/score.so"   from a configuration: in the first search path that has it
///     "random"          likewise, as random.so, there or in one of its direct subfolders
///     (expanders/random.so)
///     "/opt/acme/x.so"  must lie in a search path after its links are resolved
/// From the command line `name` is any path, relative to the working directory.
Result<std::filesystem::path> find_plugin(const std::string& name, const TrustPolicy& policy,
                                          PathOrigin origin);

/// Opens `file`, a path without links, and checks it and each folder above it by the rules of this
/// header. All checks are made on open descriptors, not on names, so there is no race. Accepts
/// regular files only, and never blocks on a FIFO.
Result<io::FileDescriptor> open_trusted(const std::filesystem::path& file);

/// Checks `folder`, an absolute path without links, and each folder above it.
Result<void> check_folders(const std::filesystem::path& folder);

/// "0755", as chmod writes a mode.
std::string octal(mode_t mode);

/// The rules themselves, for the results of fstat.
Result<void> check_file(const struct stat& file, uid_t host_user);
Result<void> check_folder(const struct stat& folder, uid_t host_user);

// The dynamic loader opens needed libraries by their names, later and without these checks. So the
// whole path of such a file is checked.

/// The target of a path, with all links resolved.
struct ResolvedPath {
    std::filesystem::path path;
    std::optional<struct stat> facts;  ///< absent: there is no such file or folder
};

/// Resolves `path` from the root on, and checks each folder on the way by the rules of this header,
/// including folders that have a link or are in a link's target. In a folder with the sticky bit
/// that others may write, the next part must exist and be owned by root or by this process's user,
/// because others could create a missing one. So no other user can redirect the path. A relative
/// path is an error. The target itself is not checked.
Result<ResolvedPath> resolve_trusted(const std::filesystem::path& path);

}  // namespace capstan::plugin_runtime::plugin_files
