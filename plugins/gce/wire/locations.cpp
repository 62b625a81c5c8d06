#include "locations.hpp"

#include <algorithm>
#include <iterator>

#include <capstan/ascii.hpp>
#include <capstan/unknown_name.hpp>

namespace capstan::gce {
namespace {

constexpr std::string_view regions[] = {
    "africa-south1",
    "asia-east1",
    "asia-east2",
    "asia-northeast1",
    "asia-northeast2",
    "asia-northeast3",
    "asia-south1",
    "asia-south2",
    "asia-southeast1",
    "asia-southeast2",
    "asia-southeast3",
    "australia-southeast1",
    "australia-southeast2",
    "europe-central2",
    "europe-north1",
    "europe-north2",
    "europe-southwest1",
    "europe-west1",
    "europe-west10",
    "europe-west12",
    "europe-west2",
    "europe-west3",
    "europe-west4",
    "europe-west6",
    "europe-west8",
    "europe-west9",
    "me-central1",
    "me-central2",
    "me-west1",
    "northamerica-northeast1",
    "northamerica-northeast2",
    "northamerica-south1",
    "southamerica-east1",
    "southamerica-west1",
    "us-central1",
    "us-east1",
    "us-east4",
    "us-east5",
    "us-east7",
    "us-south1",
    "us-west1",
    "us-west2",
    "us-west3",
    "us-west4",
    "us-west8",
};

/// "us-central1" of "us-central1-a", and of itself.
std::string_view region_of(std::string_view location) noexcept {
    const std::size_t size = location.size();
    const bool is_zone = size > 2 && location[size - 2] == '-' && is_ascii_lower(location.back());
    return is_zone ? location.substr(0, size - 2) : location;
}

}  // namespace

std::string describe_unknown_location(std::string_view location) {
    const bool is_known = std::ranges::find(regions, region_of(location)) != std::end(regions);
    return is_known ? "" : unknown_name("location", location, regions);
}

}  // namespace capstan::gce
