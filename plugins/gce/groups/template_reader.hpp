/// Reads and caches what the template of a group is made of.
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

/// [strand] Instance templates are immutable, so they are cached as long as a group uses them.
/// Machine types and images are cached for an hour. Resources that groups share are read once.
class TemplateReader {
public:
    struct Apis {
        InstanceTemplatesApi& templates;
        LookupApi& lookup;
    };
    TemplateReader(const Host& host, Apis apis, TemplateConfig config, std::size_t parallel_calls);

    /// The template of the group with its fingerprint. Reads what is missing or due. Optional parts
    /// that cannot be read cause one warning in the log.
    Task<NodeTemplate> describe(ManagedGroup group);
    /// Reads the instance templates of these links that are not cached.
    Task<void> read_templates(std::vector<std::string> links);
    /// Reads again what is due of groups that were described before: new instance templates,
    /// machine types, images. Each call reads a few of the groups; the calls cycle through all.
    Task<void> renew(const std::vector<const ListedGroup*>& groups);

    /// The fingerprint of the group's template by what is cached; makes no call. Empty if the group
    /// was not described yet.
    const std::string& fingerprint(const ListedGroup& group);
    /// The fingerprint of the template that a machine was made from: `of_group`, the group's, if
    /// both have the same instance template, otherwise a text that names the machine's. Empty if
    /// the machine's or the group's is unknown.
    static std::string fingerprint(const GroupMachine& machine, const ManagedGroup& group,
                                   const std::string& of_group);
    /// NULL if not known.
    const InstanceTemplate* find_template(const std::string& link) const;
    /// The error of the last read; NULL if there is none.
    const Error* find_template_error(const std::string& link) const;
    /// The machine type of the group's nodes; absent if unknown, or a malformed custom type.
    std::optional<GceMachineType> find_type(const ManagedGroup& group) const;
    /// The options in the kube-env of the instance template; NULL if the template is not known.
    const KubeEnvOptions* find_options(const std::string& link);
    /// Changes whenever a fingerprint, a price or an option may change.
    std::uint64_t version() const noexcept;
    /// Takes the groups that exist now; makes no call. Cache entries that no group needs are
    /// dropped.
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
        std::uint64_t version = 0, row_version = 0;  ///< that the fingerprint was computed for
    };
    std::map<std::string, Described> described_{};
    std::uint64_t described_version_ = 0;
    std::size_t renewed_ = 0;  ///< counts the groups that `renew` has visited in turn
    Semaphore calls_;
    const std::size_t parallel_calls_;
    StandingWarnings warnings_;
};

}  // namespace capstan::gce
