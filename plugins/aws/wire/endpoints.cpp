#include "endpoints.hpp"

#include <algorithm>
#include <array>

namespace capstan::aws {
namespace {

/// The host names of a global service: plain, with FIPS, with dual stack, and with both. "{}" is
/// the place of the partition's suffix.
struct GlobalHosts {
    std::string_view plain, fips, dual_stack, both;
    std::string_view signing_region;
};

struct Partition {
    std::string_view id;
    std::string_view region_prefix;
    std::string_view suffix, dual_stack_suffix;
    GlobalHosts iam;
};

/// The last partition has most regions: its empty prefix matches all that the others do not.
constexpr std::array<Partition, 8> partitions{{
    {"aws-cn",
     "cn-",
     "amazonaws.com.cn",
     "api.amazonwebservices.com.cn",
     {"iam.cn-north-1.{}", "iam-fips.{}", "iam.global.{}", "iam-fips.{}", "cn-north-1"}},
    {"aws-us-gov",
     "us-gov-",
     "amazonaws.com",
     "api.aws",
     {"iam.us-gov.{}", "iam.us-gov.{}", "iam.us-gov.{}", "iam.us-gov.{}", "us-gov-west-1"}},
    {"aws-eusc",
     "eusc-",
     "amazonaws.eu",
     "api.amazonwebservices.eu",
     {"iam.eusc-de-east-1.{}", "iam-fips.{}", "iam.global.{}", "iam-fips.{}", "eusc-de-east-1"}},
    {"aws-iso-b",
     "us-isob-",
     "sc2s.sgov.gov",
     "api.aws.scloud",
     {"iam.us-isob-east-1.{}", "iam-fips.us-isob-east-1.{}", "iam.{}", "iam-fips.{}",
      "us-isob-east-1"}},
    {"aws-iso-e",
     "eu-isoe-",
     "cloud.adc-e.uk",
     "api.cloud-aws.adc-e.uk",
     {"iam.eu-isoe-west-1.{}", "iam-fips.{}", "iam.{}", "iam-fips.{}", "eu-isoe-west-1"}},
    {"aws-iso-f",
     "us-isof-",
     "csp.hci.ic.gov",
     "api.aws.hci.ic.gov",
     {"iam.us-isof-south-1.{}", "iam-fips.{}", "iam.{}", "iam-fips.{}", "us-isof-south-1"}},
    {"aws-iso",
     "us-iso-",
     "c2s.ic.gov",
     "api.aws.ic.gov",
     {"iam.us-iso-east-1.{}", "iam-fips.us-iso-east-1.{}", "iam.{}", "iam-fips.{}",
      "us-iso-east-1"}},
    {"aws",
     "",
     "amazonaws.com",
     "api.aws",
     {"iam.{}", "iam-fips.{}", "iam.global.{}", "iam-fips.global.{}", "us-east-1"}},
}};

const Partition& find_partition(std::string_view region) noexcept {
    return *std::find_if(partitions.begin(), partitions.end(), [region](const Partition& one) {
        return region.starts_with(one.region_prefix);
    });
}

std::string_view suffix_of(const Partition& partition, const EndpointConfig& config) noexcept {
    return config.dual_stack ? partition.dual_stack_suffix : partition.suffix;
}

std::string global_host(const GlobalHosts& hosts, std::string_view suffix,
                        const EndpointConfig& config) {
    const std::string_view form = config.fips && config.dual_stack ? hosts.both
                                  : config.fips                    ? hosts.fips
                                  : config.dual_stack              ? hosts.dual_stack
                                                                   : hosts.plain;
    return std::string(form.substr(0, form.find("{}"))) + std::string(suffix);
}

/// The part of the host name before the region: "ec2-fips". Some names do not follow the rule.
std::string first_labels(Service service, const Partition& partition,
                         const EndpointConfig& config) {
    std::string name(name_of(service));
    if (!config.fips) return name;
    if (!config.dual_stack && partition.id == "aws-us-gov") return name;
    if (!config.dual_stack && partition.id == "aws" && service == Service::eks)
        return "fips." + name;
    return name + "-fips";
}

std::string find_endpoint_override(Service service, const EndpointConfig& config) {
    auto found = config.overrides.find(name_of(service));
    if (found == config.overrides.end()) found = config.overrides.find("");
    if (found == config.overrides.end()) return {};
    std::string url = found->second;
    while (url.ends_with('/')) url.pop_back();
    return url;
}

}  // namespace

std::string_view partition_of(std::string_view region) noexcept {
    return find_partition(region).id;
}

std::string endpoint_of(Service service, std::string_view region, const EndpointConfig& config) {
    if (std::string url = find_endpoint_override(service, config); !url.empty()) return url;
    const Partition& partition = find_partition(region);
    const std::string_view suffix = suffix_of(partition, config);
    if (service == Service::iam) return "https://" + global_host(partition.iam, suffix, config);
    return "https://" + first_labels(service, partition, config) + "." + std::string(region) + "." +
           std::string(suffix);
}

std::string signing_region_of(Service service, std::string_view region) {
    if (service != Service::iam) return std::string(region);
    return std::string(find_partition(region).iam.signing_region);
}

}  // namespace capstan::aws
