/// Files that hold secrets, and whether others on this machine get at them.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/config/configuration.hpp"
#include "runtime/services/logger.hpp"

namespace capstan::runtime::daemon {

/// How users other than the file's own and its group get at it: "may be read by others (mode
/// 0644)". Nothing: they do not, because of its mode or of a folder on the way that they may not
/// enter; or the file cannot be looked at, which reading it will tell. Nothing also of what kubelet
/// mounts: the files of a Secret and a service account's token have mode 0644 in a memory of the
/// pod's own. It is known by the folder "..DATE" behind the links, or by being mounted read-only in
/// memory.
std::optional<std::string> find_exposure(const std::filesystem::path& file);

// What an operator should know of the process' surroundings, though all works with it.

struct EnvironmentWarning {
    std::string what{};   ///< "secret files"
    std::string found{};  ///< "/etc/capstan/token may be read by others (mode 0644)"
    std::string fix{};    ///< what to do about it

    bool operator==(const EnvironmentWarning&) const = default;
};

/// That `user` is root; files with secrets that others on this machine get at: of [admin], keys of
/// [plugin.ID.tls], granted ones of [secrets] dir, the kubeconfig and those that it names. Reads no
/// secret.
std::vector<EnvironmentWarning> check_environment(const config::Config& config,
                                                  uid_t user = ::geteuid());

/// The same as warnings, once, before a daemon begins.
void warn_of_environment(const config::Config& config, services::Logger& log);

}  // namespace capstan::runtime::daemon
