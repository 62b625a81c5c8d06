/// What an EC2 instance type offers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace capstan::aws {

struct Accelerators {
    std::string manufacturer{}, name{};  ///< EC2's texts: "NVIDIA" and "T4"
    int count = 0;
    std::int64_t memory_mib = 0;  ///< of each
    bool operator==(const Accelerators&) const = default;
};

struct InstanceType {
    std::string name{};
    std::int64_t vcpus = 0;
    std::int64_t memory_mib = 0;
    std::vector<std::string> architectures{};  ///< "x86_64", "arm64", ...
    std::vector<Accelerators> gpus{};
    std::vector<Accelerators> neuron_devices{};  ///< Inferentia and Trainium
    int neuron_cores = 0;                        ///< of all devices
    std::int64_t instance_storage_gib = 0;       ///< of all local disks (instance store)
    int efa_interfaces = 0;                      ///< maximum
    int network_interfaces = 0;                  ///< maximum of the default network card
    int ipv4_per_interface = 0;
    bool has_prefix_delegation = false;  ///< interfaces take /28 prefixes (Nitro, bare metal)
    bool bare_metal = false;
    std::vector<std::string> usage_classes{};  ///< "on-demand", "spot"

    bool operator==(const InstanceType&) const = default;
};

}  // namespace capstan::aws
