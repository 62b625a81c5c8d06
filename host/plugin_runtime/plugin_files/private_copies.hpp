/// A private folder of this process for copies of checked plugin files, which the dynamic loader
/// opens instead of the originals.
///
/// If the original were mapped, overwriting it would crash the host, and the loader would return
/// the old code for a new file of the same name. A copy that is named by its hash avoids both.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "io/file_descriptor.hpp"

namespace capstan::plugin_runtime::plugin_files {

/// The folder is `capstan-plugins-XXXXXX`, mode 0700. The destructor removes it. A folder that a
/// crash left behind stays for debuggers and crash reports, until the next host with the same place
/// removes it.
///
/// If other users may write to the place, as in a Kubernetes emptyDir, they could replace the
/// folder by another one of its name. Then copies are opened through the folder's descriptor, as
/// /proc/self/fd/N/HASH.so, which always refers to the real folder.
class PrivateCopies {
public:
    /// $XDG_RUNTIME_DIR if set, the temporary directory ($TMPDIR or /tmp), /var/tmp and /dev/shm.
    static std::vector<std::filesystem::path> default_places();

    /// Creates the folder in the first place that is writable and allows execution. The error has
    /// the reason for each place.
    static Result<PrivateCopies> create(const std::vector<std::filesystem::path>& places);

    PrivateCopies(PrivateCopies&&) noexcept = default;
    PrivateCopies& operator=(PrivateCopies&&) = delete;
    ~PrivateCopies();

    /// Writes `bytes`, whose hash is `sha256`, to a file of mode 0500, atomically. An existing copy
    /// is reused.
    Result<std::filesystem::path> write(std::span<const std::byte> bytes,
                                        const std::string& sha256) const;
    void remove(const std::filesystem::path& copy) const;

    const std::filesystem::path& folder() const { return folder_; }
    /// The folder's descriptor, open while this object lives.
    int descriptor() const { return lock_.get(); }

private:
    PrivateCopies(std::filesystem::path folder, io::FileDescriptor lock);

    std::filesystem::path folder_;
    io::FileDescriptor lock_;            // locks the folder while the process lives
    std::filesystem::path access_path_;  // the folder, by its name or by its descriptor
};

}  // namespace capstan::plugin_runtime::plugin_files
