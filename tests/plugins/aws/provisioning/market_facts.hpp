/// An account for node auto-provisioning, for tests.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/base64.hpp>

#include "provisioning/market.hpp"

namespace capstan::aws {

inline InstanceType instance_type(const std::string& name, std::int64_t vcpus, std::int64_t gib,
                                  const std::string& architecture = "x86_64") {
    return {.name = name,
            .vcpus = vcpus,
            .memory_mib = gib * 1024,
            .architectures = {architecture},
            .network_interfaces = 3,
            .ipv4_per_interface = 10,
            .usage_classes = {"on-demand", "spot"}};
}

inline MakingConfig making_config() {
    MakingConfig out{.cluster = "prod",
                     .launch_template = {.name = "workers"},
                     .subnet_tags = {{"for", "nodes"}},
                     .instance_types = {"m5.*"}};
    out.discovery = {{.key = "k8s.io/cluster-autoscaler/enabled"}};
    out.templates.region = "eu-central-1";
    return out;
}

/// m5.large in the zones a to c, m5.xlarge in a and b, c5.large and m6g.large in a, and m5.metal in
/// none. Subnets in a and b.
inline MarketFacts market_facts() {
    MarketFacts out;
    out.source.image_id = "ami-1";
    out.source.user_data = base64_encode("#!/bin/bash\n/etc/eks/bootstrap.sh prod\n");
    out.source.block_devices = {{.device_name = "/dev/xvda", .size_gib = 80}};
    out.image = Image{.id = "ami-1", .architecture = "x86_64", .root_device_name = "/dev/xvda"};
    out.subnets = {{.id = "subnet-b", .zone = "eu-central-1b", .zone_id = "euc1-az3"},
                   {.id = "subnet-a2", .zone = "eu-central-1a", .zone_id = "euc1-az2"},
                   {.id = "subnet-a1", .zone = "eu-central-1a", .zone_id = "euc1-az2"}};
    out.offerings = {{"m5.large", "eu-central-1a"},  {"m5.large", "eu-central-1b"},
                     {"m5.large", "eu-central-1c"},  {"m5.xlarge", "eu-central-1a"},
                     {"m5.xlarge", "eu-central-1b"}, {"c5.large", "eu-central-1a"},
                     {"m6g.large", "eu-central-1a"}};
    out.types = std::make_shared<const TypeTable>(
        TypeTable::of({instance_type("m5.large", 2, 8), instance_type("m5.xlarge", 4, 16),
                       instance_type("c5.large", 2, 4), instance_type("m5.metal", 96, 384),
                       instance_type("m6g.large", 2, 8, "arm64")},
                      "2026-11-01"));
    return out;
}

inline GroupPlan made_plan(Labels labels = {}, std::vector<Taint> taints = {}) {
    return {.name = "nap-m5-large-a",
            .machine_type = "m5.large",
            .zone = "eu-central-1a",
            .labels = std::move(labels),
            .taints = std::move(taints)};
}

}  // namespace capstan::aws
