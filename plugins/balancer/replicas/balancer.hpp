/// A Balancer object of the cluster as a value, and how it is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/json.hpp>
#include <capstan/labels.hpp>
#include <capstan/time.hpp>

#include "placement.hpp"
#include "problem.hpp"

namespace capstan::replicas {

/// A reference to an object that has the subresource `scale`.
struct ScaleRef {
    std::string api_version{}, kind{}, name{};
    auto operator<=>(const ScaleRef&) const = default;
};

/// The API group of the reference: "apps" for "apps/v1"; empty for the core group.
std::string_view group_of(const ScaleRef& ref) noexcept;
/// Whether both references name the same object; the version of the API does not matter.
bool is_same_object(const ScaleRef& a, const ScaleRef& b) noexcept;

struct Target {
    std::string name{};
    ScaleRef ref{};
    std::int64_t min = 0;
    std::int64_t max = unlimited;
    bool operator==(const Target&) const = default;
};

struct Balancer {
    std::string ns{}, name{}, uid{};
    std::string created{};  ///< creationTimestamp as text; the earlier one sorts first
    std::int64_t generation = 0;
    std::int64_t replicas = 1;                ///< wanted of all targets together
    std::vector<Target> targets{};            ///< names and references are unique
    std::optional<LabelSelector> selector{};  ///< absent: invalid, and matches no pod
    std::optional<Policy> policy{};           ///< absent: invalid; one of `problems` says why
    std::vector<std::string> order{};
    std::map<std::string, std::int64_t, std::less<>> weights{};
    std::optional<Duration> startup_timeout{};  ///< absent: never falls back
    std::vector<Problem> problems{};            ///< found in the object
    Json status{};                              ///< as the API server has it

    std::string path() const { return ns + "/" + name; }
};

/// Reads any object that the API server admits. An invalid part is left out and becomes a problem.
Balancer read_balancer(const Json& object);

}  // namespace capstan::replicas
