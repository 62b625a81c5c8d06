#include "commands/cluster_folder.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace capstan::commands {
namespace {

Unexpected cannot_make(const std::filesystem::path& path, const std::string& why) {
    return fail(ErrorCode::unavailable, "make the folder " + path.string() + ": " + why);
}

}  // namespace

Result<ClusterFolder> ClusterFolder::make(const std::filesystem::path& wanted) {
    std::error_code error;
    if (!wanted.empty()) {
        std::filesystem::create_directories(wanted, error);
        if (error) return cannot_make(wanted, error.message());
        return ClusterFolder(std::filesystem::absolute(wanted), false);
    }
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    if (error) return cannot_make("for temporary files", error.message());
    std::string pattern = (parent / "capstan-cluster-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) return cannot_make(pattern, std::strerror(errno));
    return ClusterFolder(pattern, true);
}

ClusterFolder::ClusterFolder(ClusterFolder&& from) noexcept
    : path_(std::move(from.path_)), is_temporary_(std::exchange(from.is_temporary_, false)) {}

ClusterFolder::~ClusterFolder() {
    std::error_code ignored;
    if (is_temporary_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace capstan::commands
