/// Warnings about the environment of the process: running as root, secrets that others can read.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/configuration.hpp"
#include "plugin_runtime/services/logger.hpp"

namespace capstan::autoscaler::daemon {

/// How users other than the file's owner and group have access to it: "can be read by other users
/// (mode 0644)". Absent: they have none, because of its mode or of a folder that they may not
/// enter, or the file cannot be inspected; reading it will report that. Absent also for files that
/// kubelet mounts: the files of a Secret and a service account's token have mode 0644 in a tmpfs of
/// the pod. They are recognized by the folder "..DATE" behind the links, or by a read-only mount in
/// memory.
std::optional<std::string> find_exposure(const std::filesystem::path& file);

/// A condition that an operator should know of, although everything works with it.
struct EnvironmentWarning {
    std::string what{};   ///< "secret files"
    std::string found{};  ///< "/etc/capstan/token can be read by other users (mode 0644)"
    std::string fix{};    ///< what to do about it

    bool operator==(const EnvironmentWarning&) const = default;
};

/// Warns if `user` is root, and of files with secrets that other users can read: those of [admin],
/// keys of [plugin.ID.tls], granted secrets in [secrets] dir, the kubeconfig and the files that it
/// names. Reads no secret.
std::vector<EnvironmentWarning> check_environment(const config::Config& config,
                                                  uid_t user = ::geteuid());

/// Warns of the folders for the state of plugins that other users can change: `folder`, and those
/// inside it. The plugins would trust what others have written there.
std::vector<EnvironmentWarning> check_state_folder(const std::filesystem::path& folder);

void log_warnings(const std::vector<EnvironmentWarning>& warnings,
                  plugin_runtime::services::Logger& log);
/// Logs the warnings of check_environment, once, before a daemon begins.
void warn_of_environment(const config::Config& config, plugin_runtime::services::Logger& log);

}  // namespace capstan::autoscaler::daemon
