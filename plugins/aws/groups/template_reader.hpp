/// Reads and caches what the template of a group is made of.
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

/// The launch template of the group's mixed instances policy, or else the group's own; absent if
/// the group has a launch configuration.
std::optional<LaunchTemplateRef> find_launch_template(const AutoScalingGroup& group);

/// The cluster and node group that the tags of EKS name.
struct NodegroupName {
    std::string cluster{}, name{};
    auto operator<=>(const NodegroupName&) const = default;
};
std::optional<NodegroupName> find_nodegroup(const Labels& tags);

/// [strand] Launch templates, launch configurations and images are cached for 20 minutes, EKS node
/// groups for 6. The times are jittered, so that entries read together do not expire together.
class TemplateReader {
public:
    struct Apis {
        AutoScalingApi& auto_scaling;
        Ec2Api& ec2;
        EksApi& eks;
    };
    TemplateReader(const Host& host, Apis apis, TypeSource& types, TemplateConfig config,
                   Duration refresh_every, std::size_t parallel_calls);

    /// The template of the group with its fingerprint. Reads what is missing or due. Optional parts
    /// that cannot be read cause one warning in the log.
    Task<NodeTemplate> describe(AutoScalingGroup group);
    /// Reads the versions behind "$Latest" and "$Default" once in `refresh_every`, and at once if
    /// an instance shows another version. Of groups that were described before, also the image
    /// behind a parameter and EKS node groups. Each call reads a few of the groups; the calls cycle
    /// through all groups.
    Task<void> renew(const std::vector<const AutoScalingGroup*>& groups);

    /// The fingerprint of the group's template by what is cached; makes no call. Empty if the group
    /// was not described yet. `read_at` is ListedGroup::read_at: the result is cached by it.
    const std::string& fingerprint(const AutoScalingGroup& group, std::uint64_t read_at);
    /// The fingerprint of the template that the instance was made from: `of_group`, the group's, if
    /// the instance was made from the group's current launch template or configuration, otherwise a
    /// text that names the one it was made from; empty if that is unknown.
    std::string fingerprint(const AsgInstance& instance, const AutoScalingGroup& group,
                            const std::string& of_group) const;
    /// "made from lt-0abc, version 3": the launch template or configuration of new instances, with
    /// the number behind "$Latest" or "$Default" if it is known; empty if the group has neither.
    std::string make_of(const AutoScalingGroup& group) const;
    /// NULL if not known.
    const LaunchTemplateData* find_launch_data(const AutoScalingGroup& group) const;
    /// The instance types of the group, as far as they are known.
    std::vector<std::string> find_type_names(const AutoScalingGroup& group) const;
    /// Changes whenever a fingerprint may change.
    std::uint64_t version() const noexcept;
    /// Takes the groups that exist now; makes no call. Later reads fetch what all of them need in
    /// common calls. Cache entries that no group needs are dropped.
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
    void expire_symbolic_version(const AutoScalingGroup& group);
    std::vector<std::string> missing_parts(const AutoScalingGroup& group) const;
    bool may_resolve_otherwise(const LaunchTemplateRef& ref) const;
    std::string resolved(const LaunchTemplateRef& ref) const;

    const Host host_;
    const Apis apis_;
    TypeSource& types_;
    const TemplateConfig config_;
    const Duration refresh_every_;
    LastKnown<LaunchTemplateRef, LaunchTemplateData> launch_templates_;
    LastKnown<std::string, LaunchTemplateData> configurations_;
    LastKnown<std::string, Image> images_;
    LastKnown<NodegroupName, EksNodegroup> nodegroups_;
    LastKnown<std::string, std::vector<std::string>> types_by_requirements_;
    SingleFlight<bool> reading_configurations_;
    std::set<std::string> wanted_configurations_{};
    /// What is known of a version "$Latest" or "$Default" besides its contents.
    struct SymbolicVersion {
        Duration expired_at{};                      ///< when its contents were last due
        std::set<std::string> seen_at_instances{};  ///< version numbers
    };
    std::map<LaunchTemplateRef, SymbolicVersion> symbolic_versions_{};
    struct Described {
        std::string fingerprint{};
        std::uint64_t version = 0, read_at = 0;  ///< that the fingerprint was computed for
    };
    std::map<std::string, Described> described_{};
    std::uint64_t described_version_ = 0;
    std::size_t renewed_ = 0;  ///< counts the groups that `renew` has visited in turn
    Semaphore calls_;
    const std::size_t parallel_calls_;
    StandingWarnings warnings_;
};

}  // namespace capstan::aws
