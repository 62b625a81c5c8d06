#include "group_template.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <capstan/label_syntax.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "eks_labels.hpp"
#include "node_resources.hpp"
#include "node_tags.hpp"

namespace capstan::aws {
namespace {

constexpr std::int64_t kube_proxy_cpu = 100;

/// The instance types that the template is made from; at least one.
Result<std::vector<InstanceType>> types_of_template(const TemplateSources& sources,
                                                    const TemplateConfig& config,
                                                    std::vector<std::string>& warnings) {
    if (!sources.types.empty()) {
        if (config.mixed == MixedTemplate::first) return std::vector{sources.types.front()};
        return sources.types;
    }
    if (!sources.requirements) {
        return fail(ErrorCode::unavailable, "none of its instance types are known");
    }
    warnings.push_back(
        "the instance types that match its requirements are unknown; a new node is assumed to have "
        "the minimum they require");
    return std::vector{least_machine(*sources.requirements)};
}

/// The text that `of` gives for every type; empty if the types differ.
template <class Of>
std::string said_by_all(const std::vector<InstanceType>& types, Of of) {
    const std::string first(of(types.front()));
    const bool agree = std::ranges::all_of(
        types, [&](const InstanceType& type) { return std::string(of(type)) == first; });
    return agree ? first : std::string();
}

std::string template_arch_of(const InstanceType& type) {
    for (const std::string& name : type.architectures)
        if (const auto arch = kubernetes_arch(name); !arch.empty()) return std::string(arch);
    return {};
}

std::string template_zone(const AutoScalingGroup& group) {
    const auto first = std::ranges::min_element(group.zones);
    return first == group.zones.end() ? std::string() : *first;
}

void put_label(Labels& labels, std::string_view key, const std::string& value) {
    // A type's name from a data file may be no valid label value.
    if (!value.empty() && is_label_value(value)) labels.insert_or_assign(std::string(key), value);
}

Labels machine_labels(const std::vector<InstanceType>& types, const MachineTraits& traits,
                      const TemplateSources& sources, const TemplateConfig& config) {
    Labels out;
    const std::string zone = template_zone(sources.group);
    const std::string arch =
        traits.image.arch.empty() ? said_by_all(types, template_arch_of) : traits.image.arch;
    put_label(out, well_known::os_label, traits.image.os);
    put_label(out, well_known::arch_label, arch);
    put_label(out, well_known::windows_build_label, traits.image.windows_build);
    put_label(out, well_known::instance_type_label,
              said_by_all(types, [](const InstanceType& type) { return type.name; }));
    put_label(out, well_known::region_label, config.region);
    put_label(out, well_known::zone_label, zone);
    put_label(out, "topology.ebs.csi.aws.com/zone", zone);
    if (const auto id = sources.zone_ids.find(zone); id != sources.zone_ids.end())
        put_label(out, "topology.k8s.aws/zone-id", id->second);
    if (const auto name = sources.group.tags.find("eks:nodegroup-name");
        name != sources.group.tags.end())
        put_label(out, "eks.amazonaws.com/nodegroup", name->second);
    return out;
}

void append_warnings(std::vector<std::string>& out, std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(out));
}

void overwrite_labels(Labels& labels, const Labels& with) {
    for (const auto& [key, value] : with) labels.insert_or_assign(key, value);
}

void merge_taints(std::vector<Taint>& out, const std::vector<Taint>& more) {
    for (const Taint& taint : more) {
        const auto same = std::ranges::find_if(out, [&](const Taint& other) {
            return other.key == taint.key && other.effect == taint.effect;
        });
        if (same == out.end()) {
            out.push_back(taint);
        } else {
            *same = taint;
        }
    }
}

void set_tagged_resources(NodeTemplate& node, const Resources& tagged) {
    for (const auto& [resource, amount] : tagged) {
        node.capacity.set(resource, amount);
        node.allocatable.set(resource, amount);
    }
}

Result<void> put_eks_node_group(const TemplateSources& sources, GroupTemplate& out) {
    if (!sources.nodegroup) return {};
    CAPSTAN_TRY(const std::vector<Taint> taints, read_eks_taints(*sources.nodegroup));
    const std::string image =
        sources.launch_template ? sources.launch_template->image_id : std::string();
    EksLabels labels = read_eks_labels(*sources.nodegroup, image);
    ResourceTags tags = read_resource_tags(sources.nodegroup->tags);
    overwrite_labels(out.node.labels, labels.labels);
    merge_taints(out.node.taints, taints);
    set_tagged_resources(out.node, tags.resources);
    append_warnings(out.warnings, std::move(labels.warnings));
    append_warnings(out.warnings, std::move(tags.warnings));
    return {};
}

/// Sets the fields from the labels, so that both agree.
void set_fields_by_labels(NodeTemplate& node) {
    const auto said = [&](std::string_view key) {
        const auto at = node.labels.find(key);
        return at == node.labels.end() ? std::string() : at->second;
    };
    node.machine_type = said(well_known::instance_type_label);
    node.zone = said(well_known::zone_label);
    node.arch = said(well_known::arch_label);
    node.os = said(well_known::os_label);
}

void take_off_kube_proxy(NodeTemplate& node) {
    for (const auto& [resource, amount] : {Resources::Entry(well_known::cpu, kube_proxy_cpu),
                                           Resources::Entry(well_known::pods, 1)}) {
        const std::int64_t free = node.free.amount(resource);
        node.free.set(resource, std::max<std::int64_t>(0, free - amount));
    }
}

void warn_of_template(const AutoScalingGroup& group, const NodeTemplate& node,
                      std::vector<std::string>& warnings) {
    if (group.zones.size() > 1) {
        warnings.push_back("its instances may be in any of the zones " +
                           listed(group.zones, [](const std::string& zone) { return zone; }) +
                           "; a new node is assumed to be in " + node.zone +
                           "; use one group per zone for pods that need a certain zone");
    }
    if (node.arch.empty()) {
        warnings.push_back(
            "the architecture of its instances is unknown or mixed; its node template has no "
            "label " +
            std::string(well_known::arch_label));
    }
}

/// The node by its machines alone, without tags and the EKS node group.
NodeTemplate machine_node(const std::vector<InstanceType>& types, const MachineTraits& traits,
                          const TemplateSources& sources, const TemplateConfig& config) {
    NodeResources resources = node_resources_of(types.front(), traits, sources, config);
    for (const InstanceType& type : types)
        resources = least_of(resources, node_resources_of(type, traits, sources, config));
    // Requirements usually allow several types: 2 variants stand for an unknown number.
    const std::size_t variants = sources.types.empty() ? 2 : sources.types.size();
    return {.name = sources.group.name,
            .labels = machine_labels(types, traits, sources, config),
            .capacity = std::move(resources.capacity),
            .allocatable = std::move(resources.allocatable),
            .variants = static_cast<int>(variants)};
}

void put_node_tags(const Labels& group_tags, GroupTemplate& out) {
    NodeTags tags = read_node_tags(group_tags);
    overwrite_labels(out.node.labels, tags.labels);
    merge_taints(out.node.taints, tags.taints);
    set_tagged_resources(out.node, tags.resources);
    append_warnings(out.warnings, std::move(tags.warnings));
}

}  // namespace

Result<GroupTemplate> make_template(const TemplateSources& sources, const TemplateConfig& config) {
    GroupTemplate out;
    CAPSTAN_TRY(const std::vector<InstanceType> types,
                types_of_template(sources, config, out.warnings));
    const MachineTraits traits = find_machine_traits(sources);
    out.node = machine_node(types, traits, sources, config);
    put_node_tags(sources.group.tags, out);
    CAPSTAN_CHECK(put_eks_node_group(sources, out));
    set_fields_by_labels(out.node);
    out.node.free = out.node.allocatable;
    if (!traits.made_for_eks) take_off_kube_proxy(out.node);
    out.node.fingerprint = fingerprint_of(sources, config);
    warn_of_template(sources.group, out.node, out.warnings);
    return out;
}

}  // namespace capstan::aws
