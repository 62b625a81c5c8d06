#include "autoscaler/daemon/host_environment.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <set>
#include <system_error>

#include "kubernetes/client/access/access.hpp"

namespace capstan::autoscaler::daemon {
namespace {

namespace fs = std::filesystem;

bool is_mounted_by_kubelet(const fs::path& real) {
    const bool is_of_volume = std::ranges::any_of(real.parent_path(), [](const fs::path& part) {
        return part.native().size() > 2 && part.native().starts_with("..");
    });
    struct statvfs mount{};
    struct statfs kind{};
    const bool is_read_only =
        ::statvfs(real.c_str(), &mount) == 0 && (mount.f_flag & ST_RDONLY) != 0;
    const bool is_memory = ::statfs(real.c_str(), &kind) == 0 && kind.f_type == TMPFS_MAGIC;
    return is_of_volume || (is_read_only && is_memory);
}

bool may_be_entered_by_others(const fs::path& folder) {
    struct stat facts{};
    for (fs::path at = folder;; at = at.parent_path()) {
        if (::stat(at.c_str(), &facts) != 0 || (facts.st_mode & S_IXOTH) == 0) return false;
        if (at == at.root_path()) return true;
    }
}

std::string octal_mode(mode_t mode) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777));
    return text.data();
}

}  // namespace

std::optional<std::string> find_exposure(const fs::path& file) {
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    struct stat facts{};
    if (error || ::stat(real.c_str(), &facts) != 0) return std::nullopt;
    const bool is_read = (facts.st_mode & S_IROTH) != 0;
    const bool is_written = (facts.st_mode & S_IWOTH) != 0;
    if (!is_read && !is_written) return std::nullopt;
    if (is_mounted_by_kubelet(real) || !may_be_entered_by_others(real.parent_path()))
        return std::nullopt;
    const char* const how = is_written ? (is_read ? "read and changed" : "changed") : "read";
    return std::string("can be ") + how + " by other users (mode " + octal_mode(facts.st_mode) +
           ")";
}

namespace {

std::set<std::filesystem::path> secret_files_of(const config::Config& config) {
    std::set<std::filesystem::path> out;
    for (const std::string& file : {config.admin.bearer_token_file, config.admin.tls_key_file})
        if (!file.empty()) out.insert(file);
    const std::filesystem::path folder = config.secrets.dir;
    for (const config::PluginConfig& plugin : config.plugins) {
        if (!plugin.tls.key_file.empty()) out.insert(plugin.tls.key_file);
        for (const std::string& name : plugin.grants.secrets)
            if (!folder.empty()) out.insert(folder / name);
    }
    const kubernetes::client::AccessChoice choice{.kubeconfig = config.cluster.kubeconfig,
                                                  .context = config.cluster.context};
    for (const std::filesystem::path& file : kubernetes::client::secret_files_of(choice, {}))
        out.insert(file);
    return out;
}

}  // namespace

std::vector<EnvironmentWarning> check_environment(const config::Config& config, uid_t user) {
    std::vector<EnvironmentWarning> out;
    if (user == 0)
        out.push_back({"user", "runs as root", "run as a dedicated user; root is not needed"});
    for (const std::filesystem::path& file : secret_files_of(config))
        if (const auto exposure = find_exposure(file))
            out.push_back(
                {"secret files", file.string() + ' ' + *exposure,
                 "run chmod o-rwx on it, and replace the secret if others may have read it"});
    return out;
}

std::vector<EnvironmentWarning> check_state_folder(const fs::path& folder) {
    std::vector<EnvironmentWarning> out;
    std::error_code error;
    std::set<fs::path> folders{folder};
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (at->is_directory(error)) folders.insert(at->path());
    for (const fs::path& each : folders) {
        struct stat facts{};
        if (::stat(each.c_str(), &facts) != 0 || (facts.st_mode & S_IWOTH) == 0) continue;
        if (!may_be_entered_by_others(fs::canonical(each, error))) continue;
        out.push_back({"state folder",
                       each.string() + " can be changed by other users (mode " +
                           octal_mode(facts.st_mode) + ")",
                       "run chmod o-w on it"});
    }
    return out;
}

void log_warnings(const std::vector<EnvironmentWarning>& warnings,
                  plugin_runtime::services::Logger& log) {
    for (const EnvironmentWarning& remark : warnings)
        log.write(config::LogLevel::warn, "capstan",
                  remark.what + ": " + remark.found + "; " + remark.fix);
}

void warn_of_environment(const config::Config& config, plugin_runtime::services::Logger& log) {
    log_warnings(check_environment(config), log);
}

}  // namespace capstan::autoscaler::daemon
