/// A cluster for which groups could be created: one candidate per machine type, zone and selector.
#pragma once

#include "engine/pass/pass.hpp"
#include "workload.hpp"

namespace capstan::bench {

struct ProvisioningWorkload {
    Workload cluster{.nodes = 1000, .pods = 0, .groups = 200};
    int types = 50, zones = 3;
    int selectors = 20;  ///< node selectors of pending pods: values of one label
    int pods_per_selector = 30;
};

engine::Snapshot make_provisioning_snapshot(const ProvisioningWorkload& workload);

/// Returns the candidate group of each plan.
class BenchGroupMaker final : public engine::GroupMaker {
public:
    explicit BenchGroupMaker(const engine::Snapshot& snapshot) : snapshot_(snapshot) {}
    Result<engine::CandidateGroup> new_group(const PluginInstanceId& cloud, const GroupPlan& plan,
                                             const engine::CallContext& call_context) override;

private:
    const engine::Snapshot& snapshot_;
};

}  // namespace capstan::bench
