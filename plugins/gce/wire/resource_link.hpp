/// Links to resources of compute: "projects/p/zones/us-central1-a/instances/web-x1y2".
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

namespace capstan::gce {

enum class Scope : std::uint8_t { global, region, zone };

/// Where a resource is.
struct Place {
    Scope scope = Scope::global;
    std::string name{};  ///< "us-central1-a", "us-central1"; empty: global
    auto operator<=>(const Place&) const = default;
};

struct ResourceLink {
    std::string project{};
    Place place{};
    std::string collection{};  ///< "instanceGroupManagers"
    std::string name{};
    auto operator<=>(const ResourceLink&) const = default;

    /// "projects/p/zones/us-central1-a/instances/web-x1y2", each part percent-encoded: what stands
    /// behind the service's root.
    std::string path() const;
};

/// Of a whole URL or of a part of one that begins with "projects/". Host and version count for
/// nothing: Google's own answers mix "compute/v1" and "compute/beta" on several hosts. A project
/// may be of a domain: "example.com:web". `invalid_argument`: it is no such link.
Result<ResourceLink> parse_link(std::string_view text);

/// What stands behind the last slash: "n1-standard-1" of ".../machineTypes/n1-standard-1".
std::string_view last_part(std::string_view link) noexcept;

/// "us-central1" of "us-central1-a": up to the last hyphen.
std::string region_of_zone(std::string_view zone);

}  // namespace capstan::gce
