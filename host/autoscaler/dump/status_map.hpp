/// The status ConfigMap of an autoscaler, upstream's or Capstan's, as a source of node groups.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

namespace capstan::autoscaler::dump {

struct StatusGroup {
    /// Why the group does not grow.
    struct Backoff {
        std::string code{}, message{};
        std::optional<Time> since{};
        bool operator==(const Backoff&) const = default;
    };

    std::string name{};
    std::optional<int> min{}, max{};
    /// Machines that the cloud was asked for; those that have not joined for long do not count.
    int target = 0;
    std::optional<Backoff> backoff{};
    bool operator==(const StatusGroup&) const = default;
};

/// Reads the value of the key `status`, which is YAML since upstream's 1.30. `invalid_config`: it
/// is no YAML, or has no list of groups.
Result<std::vector<StatusGroup>> parse_status(const std::string& text);

}  // namespace capstan::autoscaler::dump
