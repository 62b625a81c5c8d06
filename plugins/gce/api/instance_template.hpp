/// Instance templates, global and regional.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <capstan/json.hpp>
#include <capstan/labels.hpp>
#include <capstan/task.hpp>

#include "../wire/gce_client.hpp"
#include "../wire/resource_link.hpp"
#include "operations.hpp"

namespace capstan::gce {

struct TemplateDisk {
    bool is_boot = false;
    std::string type{};       ///< "PERSISTENT", "SCRATCH"
    std::string disk_type{};  ///< "pd-balanced", "local-ssd"; empty: Google's default
    std::string interface{};  ///< "NVME", "SCSI"
    std::string image{};      ///< `sourceImage`, a link to an image or an image family; empty: none
    std::optional<std::int64_t> size_gb{};  ///< absent: the image's
    bool operator==(const TemplateDisk&) const = default;
};

struct TemplateAccelerator {
    std::string type{};  ///< "nvidia-tesla-t4", without the link
    int count = 0;
    bool operator==(const TemplateAccelerator&) const = default;
};

struct InstanceTemplate {
    ResourceLink link{};
    std::string id{};
    std::string machine_type{};  ///< "n2-standard-4"
    std::vector<TemplateDisk> disks{};
    std::vector<TemplateAccelerator> accelerators{};
    Labels metadata{};  ///< `kube-env`, `user-data`, ...
    Labels labels{};    ///< of its instances
    std::string min_cpu_platform{};
    bool is_spot = false;              ///< SPOT or preemptible
    std::string termination_action{};  ///< "DELETE", "STOP"
    std::optional<Duration> max_run_duration{};
    std::string reservation_affinity{};  ///< "ANY_RESERVATION", "SPECIFIC_RESERVATION", ...
    std::string service_account{};
    std::vector<std::string> scopes{};
    std::vector<std::string> subnetworks{};
    int threads_per_core = 0;  ///< advancedMachineFeatures; 0: not set
    Json properties{};         ///< all properties, to copy the template
    bool operator==(const InstanceTemplate&) const = default;
};

/// [strand] The client has to outlive the object.
class InstanceTemplatesApi {
public:
    InstanceTemplatesApi(const Host& host, GceClient& client) : host_(host), client_(client) {}

    /// instanceTemplates.get, or regionInstanceTemplates.get for a regional link.
    Task<InstanceTemplate> get(ResourceLink link);
    /// Creates a template at the link, with `properties` in compute's format.
    Task<Operation> insert(const ResourceLink& link, Json properties, std::string description);
    Task<Operation> remove(const ResourceLink& link);

private:
    Host host_;
    GceClient& client_;
};

/// `unavailable`: `json` is not an instance template.
Result<InstanceTemplate> read_instance_template(const Json& json);

}  // namespace capstan::gce
