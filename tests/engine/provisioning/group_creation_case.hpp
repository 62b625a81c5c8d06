/// A group source and a group maker for tests. The source suggests groups with the given names, of
/// machines "m" with 4 cores in zone "a".
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../test_cluster.hpp"
#include "engine/pass/pass.hpp"

namespace capstan::engine::provisioning {

class TestGroupSource final : public GroupSource {
public:
    explicit TestGroupSource(std::vector<std::string> names) : names_(std::move(names)) {}
    Result<GroupsAnswer> suggest(const GroupsQuestion& question, const CallContext&) override {
        requested_pods = static_cast<int>(question.pods.size());
        GroupsAnswer out{.left_out = left_out, .most_groups = most_groups};
        for (const std::string& name : names_)
            out.groups.push_back(
                {{.name = carries_cloud ? name + "-" + question.cloud.value() : name,
                  .machine_type = "m",
                  .zone = "a",
                  .labels = labels},
                 "suggested by the test"});
        return out;
    }
    Result<bool> owns(const NodeGroup& group, const CallContext&) override {
        return group.id.value().starts_with("nap-");
    }

    Labels labels{};  ///< of each group
    std::vector<GroupsAnswer::LeftOut> left_out{};
    std::optional<int> most_groups{};
    bool carries_cloud = false;  ///< names of groups end with their cloud
    int requested_pods = 0;

private:
    std::vector<std::string> names_;
};

class TestGroupMaker final : public GroupMaker {
public:
    Result<CandidateGroup> new_group(const PluginInstanceId&, const GroupPlan& plan,
                                     const CallContext&) override {
        if (refuses) return fail(refusal);
        CandidateGroup out;
        out.planned.group = {
            .id = NodeGroupId(plan.name), .min = 0, .target = 0, .autoprovisioned = true};
        out.planned.node = {.name = plan.name,
                            .machine_type = plan.machine_type,
                            .zone = plan.zone,
                            .labels = plan.labels,
                            .taints = plan.taints,
                            .capacity = amounts(4000),
                            .allocatable = amounts(4000),
                            .free = amounts(4000)};
        return out;
    }
    bool refuses = false;
    Error refusal{ErrorCode::unsupported, "no such thing"};
};

/// A cluster in which groups can be created.
struct GroupCreationCase {
    TestCluster test_cluster{};
    TestGroupSource source;
    TestGroupMaker maker{};
    Memory memory{};
    Settings settings{};
    Time now = noon;
    std::vector<CloudMachines> clouds{machines("cloud", "m")};

    explicit GroupCreationCase(std::vector<std::string> names) : source(std::move(names)) {}

    static CloudMachines machines(const char* cloud, std::string type) {
        return {PluginInstanceId(cloud),
                {{.name = std::move(type),
                  .capacity = amounts(4000),
                  .allocatable = amounts(4000),
                  .offerings = {{.zone = "a"}}}}};
    }
    Snapshot snapshot() const {
        Snapshot out = test_cluster.snapshot();
        out.machines = std::make_shared<const std::vector<CloudMachines>>(clouds);
        return out;
    }
    Policies policies() {
        return {
            .chain = {}, .similarity = {}, .group_sources = {{"test", &source}}, .maker = &maker};
    }
    pass::Outcome run() {
        return pass::run_pass(snapshot(), memory, policies(), settings, {.now = now});
    }
    /// Runs a pass and records that all actions succeeded.
    pass::Outcome run_and_apply() {
        pass::Outcome out = run();
        Results results;
        results.creations.resize(out.decision.creations.size());
        results.increases.resize(out.decision.increases.size());
        results.deletions.resize(out.decision.deletions.size());
        memory = pass::remember_results(out.memory, out.decision, results, settings, now);
        return out;
    }
};

}  // namespace capstan::engine::provisioning
