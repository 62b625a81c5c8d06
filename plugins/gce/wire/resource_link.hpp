/// Links to resources of compute: "projects/p/zones/us-central1-a/instances/web-x1y2".
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

namespace capstan::gce {

enum class Scope : std::uint8_t { global, region, zone };

/// The location of a resource.
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

    /// "projects/p/zones/us-central1-a/instances/web-x1y2", with percent-encoded parts: the path
    /// below base_url_of.
    std::string path() const;
};

/// Parses a full URL, or a partial one that begins with "projects/". Host and version are ignored,
/// since Google's answers mix "compute/v1" and "compute/beta" on several hosts. A project may be
/// domain-scoped: "example.com:web". `invalid_argument`: the text is not such a link.
Result<ResourceLink> parse_link(std::string_view text);

/// The part after the last slash: "n1-standard-1" of ".../machineTypes/n1-standard-1".
std::string_view last_part(std::string_view link) noexcept;

/// "us-central1" of "us-central1-a": up to the last hyphen.
std::string region_of_zone(std::string_view zone);

}  // namespace capstan::gce
