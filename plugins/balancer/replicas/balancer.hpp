/// A Balancer object, read.
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

/// An object with a Scale, as references name it.
struct ScaleRef {
    std::string api_version{}, kind{}, name{};
    auto operator<=>(const ScaleRef&) const = default;
};

/// Of "apps/v1" "apps"; empty: the core's.
std::string_view group_of(const ScaleRef& ref) noexcept;
/// Whether both name the same object, whatever version of it.
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
    std::string created{};  ///< as written; earlier ones sort first
    std::int64_t generation = 0;
    std::int64_t replicas = 1;                ///< wanted of all targets
    std::vector<Target> targets{};            ///< names and references are unique
    std::optional<LabelSelector> selector{};  ///< nothing: it is none, and holds for nothing
    std::optional<Policy> policy{};  ///< nothing: none that can be followed; a trouble says why
    std::vector<std::string> order{};
    std::map<std::string, std::int64_t, std::less<>> weights{};
    std::optional<Duration> startup_timeout{};  ///< nothing: never falls back
    std::vector<Problem> troubles{};            ///< in what is written there
    Json status{};                              ///< as the cluster has it

    std::string path() const { return ns + "/" + name; }
};

/// Reads whatever the cluster lets in: what makes no sense is a trouble and is passed over.
Balancer read_balancer(const Json& object);

}  // namespace capstan::replicas
