/// Where `capstan cluster` leaves what others need to talk to it.
#pragma once

#include <filesystem>
#include <string>

#include <capstan/result.hpp>

namespace capstan::commands {

/// A folder with `kubeconfig` and `capstan.toml`; one that was not asked for is removed with this.
class ClusterFolder {
public:
    /// `wanted`: made where there is none; empty: a new one, for temporary files. The error names
    /// it.
    static Result<ClusterFolder> make(const std::filesystem::path& wanted);
    ClusterFolder(ClusterFolder&& from) noexcept;
    ClusterFolder& operator=(ClusterFolder&&) = delete;
    ~ClusterFolder();

    std::filesystem::path kubeconfig() const { return path_ / "kubeconfig"; }
    std::filesystem::path config() const { return path_ / "capstan.toml"; }
    std::filesystem::path state() const { return path_ / "state"; }
    std::filesystem::path log() const { return path_ / "capstan.log"; }

private:
    ClusterFolder(std::filesystem::path path, bool is_temporary)
        : path_(std::move(path)), is_temporary_(is_temporary) {}

    std::filesystem::path path_;
    bool is_temporary_;
};

}  // namespace capstan::commands
