/// Lookups of machine types, images, regions, accelerator types and permissions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <capstan/task.hpp>

#include "../wire/gce_client.hpp"
#include "../wire/resource_link.hpp"

namespace capstan::gce {

struct GceMachineType {
    std::string name{};  ///< "n2-standard-4"
    std::int64_t vcpus = 0;
    std::int64_t memory_mib = 0;
    std::string arch{};  ///< "amd64", "arm64"; empty: unknown
    struct Accelerator {
        std::string type{};
        int count = 0;
        bool operator==(const Accelerator&) const = default;
    };
    std::vector<Accelerator> accelerators{};  ///< bundled with the type: "nvidia-tesla-a100"
    int bundled_local_ssds = 0;
    bool is_deprecated = false;
    bool operator==(const GceMachineType&) const = default;
};

struct GceImage {
    ResourceLink link{};
    std::string family{}, arch{};  ///< arch: "amd64", "arm64"; empty: unknown
    std::int64_t size_gb = 0;
    std::vector<std::string> features{};  ///< guestOsFeatures: "WINDOWS"
    bool operator==(const GceImage&) const = default;
};

/// [strand] The client has to outlive the object.
class LookupApi {
public:
    explicit LookupApi(GceClient& client) : client_(client) {}

    /// machineTypes.get.
    Task<GceMachineType> machine_type(std::string project, std::string zone, std::string name);
    /// machineTypes.list of a zone, all pages.
    Task<std::vector<GceMachineType>> machine_types(std::string project, std::string zone);
    /// images.get, or images.getFromFamily for a link with "/images/family/".
    Task<GceImage> image(std::string link);
    /// regions.get: the zones of the region, ascending.
    Task<std::vector<std::string>> zones_of(std::string project, std::string region);
    /// acceleratorTypes.list of a zone: the names, and the maximum number on one machine.
    struct AcceleratorType {
        std::string name{};
        int most_per_machine = 0;
        bool operator==(const AcceleratorType&) const = default;
    };
    Task<std::vector<AcceleratorType>> accelerators(std::string project, std::string zone);
    /// cloudresourcemanager's projects.testIamPermissions: those of `permissions` that are granted,
    /// in calls of 100 permissions.
    Task<std::vector<std::string>> test_permissions(std::string project,
                                                    std::vector<std::string> permissions);

private:
    GceClient& client_;
};

}  // namespace capstan::gce
