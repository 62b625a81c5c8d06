/// What an operator should know of the process' surroundings, though all works with it.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

#include "runtime/config/config.hpp"
#include "runtime/services/logger.hpp"

namespace capstan::runtime {

struct Remark {
    std::string what{};   ///< "secret files"
    std::string found{};  ///< "/etc/capstan/token may be read by others (mode 0644)"
    std::string fix{};    ///< what to do about it

    bool operator==(const Remark&) const = default;
};

/// That `user` is root; files with secrets that others on this machine get at: of [admin], keys of
/// [plugin.ID.tls], granted ones of [secrets] dir, the kubeconfig and those that it names. Reads no
/// secret.
std::vector<Remark> remarks_on_surroundings(const Config& config, uid_t user = ::geteuid());

/// The same as warnings, once, before a daemon begins.
void warn_of_surroundings(const Config& config, Logger& log);

}  // namespace capstan::runtime
