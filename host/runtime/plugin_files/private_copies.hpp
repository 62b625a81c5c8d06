/// A folder of this process alone, in which checked bytes become files that the dynamic loader can
/// open.
///
/// The original of a loaded library must not be what is mapped: overwriting it would crash the
/// host, and a new file under an old name would be answered with the old code. A copy named by its
/// hash has neither fault.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "io/file_descriptor.hpp"

namespace capstan::runtime::plugin_files {

/// The folder is `capstan-plugins-XXXXXX`, mode 0700. It is removed with this object; one that a
/// crash left behind is removed by the next host that uses the same place. Copies stay until then,
/// for debuggers and crash reports.
///
/// Where others may write the place itself, as in a Kubernetes emptyDir, they could put another
/// folder under our folder's name. There copies are opened through our open descriptor instead, as
/// /proc/self/fd/N/HASH.so, which leads to our folder and no other.
class PrivateCopies {
public:
    /// $XDG_RUNTIME_DIR, the temporary directory ($TMPDIR or /tmp), /var/tmp and /dev/shm, as far
    /// as they are set.
    static std::vector<std::filesystem::path> default_places();

    /// Makes the folder in the first place that can be written and allows execution. The error says
    /// of each place, or of its mount, why it will not do.
    static Result<PrivateCopies> create(const std::vector<std::filesystem::path>& places);

    PrivateCopies(PrivateCopies&&) noexcept = default;
    PrivateCopies& operator=(PrivateCopies&&) = delete;
    ~PrivateCopies();

    /// The file that holds `bytes`, whose hash is `sha256`; mode 0500. Appears complete or not at
    /// all. A copy that is there already is used again.
    Result<std::filesystem::path> write(std::span<const std::byte> bytes,
                                        const std::string& sha256) const;
    void remove(const std::filesystem::path& copy) const;

    const std::filesystem::path& folder() const { return folder_; }
    /// Of the folder, open while this object lives.
    int descriptor() const { return lock_.get(); }

private:
    PrivateCopies(std::filesystem::path folder, io::FileDescriptor lock);

    std::filesystem::path folder_;
    io::FileDescriptor lock_;         // held on the folder while its process lives
    std::filesystem::path entrance_;  // the folder, by its name or by the descriptor
};

}  // namespace capstan::runtime::plugin_files
