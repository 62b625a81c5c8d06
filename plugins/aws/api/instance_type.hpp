/// What an EC2 instance type offers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace capstan::aws {

struct Accelerators {
    std::string manufacturer{}, name{};  ///< "NVIDIA" and "T4"; as EC2 has them
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
    std::int64_t instance_storage_gib = 0;  ///< of local disks, all together; EC2 tells 10^9 bytes
    int efa_interfaces = 0;                 ///< at most
    int network_interfaces = 0;             ///< at most, of the default card
    int ipv4_per_interface = 0;
    bool has_prefix_delegation = false;  ///< Nitro: /28 prefixes in the place of addresses
    bool bare_metal = false;
    std::vector<std::string> usage_classes{};  ///< "on-demand", "spot"

    bool operator==(const InstanceType&) const = default;
};

}  // namespace capstan::aws
