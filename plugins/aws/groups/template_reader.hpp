/// Reads what the template of a group is made of, and keeps it for a while.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/last_known.hpp>
#include <capstan/semaphore.hpp>
#include <capstan/single_flight.hpp>
#include <capstan/standing_warnings.hpp>
#include <capstan/task.hpp>

#include "../api/auto_scaling.hpp"
#include "../api/ec2.hpp"
#include "../api/eks.hpp"
#include "../templates/group_template.hpp"
#include "type_source.hpp"

namespace capstan::aws {

/// The launch template of a group's policy, or its own; nothing: it has a launch configuration.
std::optional<LaunchTemplateRef> find_launch_template(const AutoScalingGroup& group);

/// What EKS tags name: cluster and node group.
struct NodegroupName {
    std::string cluster{}, name{};
    auto operator<=>(const NodegroupName&) const = default;
};
std::optional<NodegroupName> find_nodegroup(const Labels& tags);

/// [strand] Launch templates, configurations and images hold for 20 minutes, EKS node groups for
/// 6; what was read together is not read again together.
class TemplateReader {
public:
    struct Apis {
        AutoScalingApi& auto_scaling;
        Ec2Api& ec2;
        EksApi& eks;
    };
    TemplateReader(const Host& host, Apis apis, TypeSource& types, TemplateConfig config,
                   std::size_t parallel_calls);

    /// The template of the group, its fingerprint included. What is missing is read; what could be
    /// done without is a warning in the log, once.
    Task<NodeTemplate> describe(AutoScalingGroup group);
    /// Reads anew what may have changed of groups that were described: what "$Latest", "$Default"
    /// and a parameter in the place of an image stand for, and node groups of EKS. A few each time,
    /// and all in turn.
    Task<void> renew(const std::vector<const AutoScalingGroup*>& groups);

    /// Of a new node of the group, from what is known; empty: it was not described yet. Calls
    /// nothing. `read_at`: the moment of the group's reading, which has one fingerprint.
    const std::string& fingerprint(const AutoScalingGroup& group, std::uint64_t read_at);
    /// Of the template that the instance was made from: the group's, where that is the one, and
    /// empty where it is not known. `of_group` is the group's.
    std::string fingerprint(const AsgInstance& instance, const AutoScalingGroup& group,
                            const std::string& of_group) const;
    /// NULL: not known.
    const LaunchTemplateData* find_launch_data(const AutoScalingGroup& group) const;
    /// The types that a group's instances may be of, as far as they are known.
    std::vector<std::string> find_type_names(const AutoScalingGroup& group) const;
    /// Another one whenever a fingerprint may be another.
    std::uint64_t version() const noexcept;
    /// The groups that are there: what they need is read together, and those that are gone are
    /// forgotten. Calls nothing.
    void follow(const std::vector<const AutoScalingGroup*>& groups);

private:
    Task<void> read_sources(AutoScalingGroup group);
    TemplateSources known_sources(const AutoScalingGroup& group) const;
    Task<void> run_all_reads(std::vector<Task<void>> reads);
    Task<void> read_launch_data(AutoScalingGroup group);
    Task<bool> read_wanted_configurations();
    Task<void> read_nodegroup(NodegroupName name);
    Task<void> read_image(std::string id);
    Task<Image> read_one_image(std::string id);
    Task<void> read_types(AutoScalingGroup group, InstanceRequirements requirements);
    std::string requirements_key(const AutoScalingGroup& group,
                                 const InstanceRequirements& requirements) const;
    std::optional<InstanceRequirements> find_requirements(const AutoScalingGroup& group) const;
    const Image* find_image(const AutoScalingGroup& group) const;
    const Error* find_launch_error(const AutoScalingGroup& group) const;
    std::optional<Error> find_missing_types(const TemplateSources& sources) const;
    void expect_latest(const AutoScalingGroup& group);
    std::vector<std::string> missing_parts(const AutoScalingGroup& group) const;
    bool may_stand_for_another(const LaunchTemplateRef& ref) const;
    std::string resolved(const LaunchTemplateRef& ref) const;

    const Host host_;
    const Apis apis_;
    TypeSource& types_;
    const TemplateConfig config_;
    LastKnown<LaunchTemplateRef, LaunchTemplateData> launch_templates_;
    LastKnown<std::string, LaunchTemplateData> configurations_;
    LastKnown<std::string, Image> images_;
    LastKnown<NodegroupName, EksNodegroup> nodegroups_;
    LastKnown<std::string, std::vector<std::string>> types_by_requirements_;
    SingleFlight<bool> reading_configurations_;
    std::set<std::string> wanted_configurations_{};
    struct Described {
        std::string fingerprint{};
        std::uint64_t version = 0, read_at = 0;  ///< that it is of
    };
    std::map<std::string, Described> described_{};
    std::uint64_t described_version_ = 0;
    std::size_t renewed_ = 0;  ///< groups that were looked at, over and over
    Semaphore calls_;
    const std::size_t parallel_calls_;
    StandingWarnings warnings_;
};

}  // namespace capstan::aws
