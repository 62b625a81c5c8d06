/// Reads what the template of a group is made of, and keeps it for a while.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/last_known.hpp>
#include <capstan/semaphore.hpp>
#include <capstan/standing_warnings.hpp>
#include <capstan/task.hpp>

#include "../api/instance_template.hpp"
#include "../api/machine_types.hpp"
#include "../templates/group_template.hpp"
#include "group_lists.hpp"

namespace capstan::gce {

/// [strand] Instance templates never change, so one that was read holds while a group has it.
/// Machine types and images hold for an hour. What groups have in common is read once.
class TemplateReader {
public:
    struct Apis {
        InstanceTemplatesApi& templates;
        LookupApi& lookup;
    };
    TemplateReader(const Host& host, Apis apis, TemplateConfig config, std::size_t parallel_calls);

    /// The template of the group, its fingerprint included. What is missing is read; what could be
    /// done without is a warning in the log, once.
    Task<NodeTemplate> describe(ManagedGroup group);
    /// Reads the instance templates of these links, where they are not known.
    Task<void> read_templates(std::vector<std::string> links);
    /// Reads what is due of groups that were described: an instance template that is new, machine
    /// types, images. A few each time, and all in turn.
    Task<void> renew(const std::vector<const ListedGroup*>& groups);

    /// Of a new node of the group, from what is known; empty: it was not described yet. Calls
    /// nothing.
    const std::string& fingerprint(const ListedGroup& group);
    /// Of the template that a machine was made from: the group's, where that is the one, and empty
    /// where it is not known. `of_group` is the group's.
    static std::string fingerprint(const GroupMachine& machine, const ManagedGroup& group,
                                   const std::string& of_group);
    /// NULL: not known.
    const InstanceTemplate* find_template(const std::string& link) const;
    /// Why it is not known; NULL: it is, or was not asked for.
    const Error* find_template_error(const std::string& link) const;
    /// Of the group's node; nothing: not known, or a custom type that is none.
    std::optional<GceMachineType> find_type(const ManagedGroup& group) const;
    /// By the instance template's kube-env; NULL: that is not known.
    const KubeEnvOptions* find_options(const std::string& link);
    /// Another one whenever a fingerprint, a price or an option may be another.
    std::uint64_t version() const noexcept;
    /// The groups that are there: what they do not need any more is forgotten. Calls nothing.
    void follow(const std::vector<const ListedGroup*>& groups);

private:
    using TypeKey = std::tuple<std::string, std::string, std::string>;  ///< project, zone, name
    Task<void> read_template(std::string link);
    Task<void> read_sources(ManagedGroup group);
    Task<void> read_type(ManagedGroup group, std::string name);
    Task<void> read_image(std::string link);
    TemplateSources known_sources(const ManagedGroup& group) const;
    std::vector<std::string> find_type_names(const ManagedGroup& group) const;
    std::optional<GceMachineType> find_one_type(const ManagedGroup& group,
                                                const std::string& name) const;
    std::vector<TypeKey> type_keys(const ManagedGroup& group, const std::string& name) const;
    std::string find_image_link(const ManagedGroup& group) const;
    std::vector<std::string> missing_parts(const ManagedGroup& group) const;
    bool is_due(const ManagedGroup& group) const;

    const Host host_;
    const Apis apis_;
    const TemplateConfig config_;
    LastKnown<std::string, InstanceTemplate> templates_;
    LastKnown<TypeKey, GceMachineType> types_;
    LastKnown<std::string, GceImage> images_;
    std::map<std::string, KubeEnvOptions> options_{};  ///< by link of the instance template
    struct Described {
        std::string fingerprint{};
        std::uint64_t version = 0, row_version = 0;  ///< that it is of
    };
    std::map<std::string, Described> described_{};
    std::uint64_t described_version_ = 0;
    std::size_t renewed_ = 0;  ///< groups that were looked at, over and over
    Semaphore calls_;
    const std::size_t parallel_calls_;
    StandingWarnings warnings_;
};

}  // namespace capstan::gce
