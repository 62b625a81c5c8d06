#include "group_template.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <capstan/label_syntax.hpp>
#include <capstan/well_known.hpp>

#include "accelerators.hpp"
#include "ephemeral_storage.hpp"
#include "kube_env.hpp"
#include "node_image.hpp"
#include "node_labels_and_taints.hpp"
#include "reserves.hpp"

namespace capstan::gce {
namespace {

constexpr std::int64_t bytes_per_mib = std::int64_t{1} << 20;
constexpr int default_max_pods = 110;
/// Upstream's assumption of the cpu request of a static kube-proxy.
constexpr std::int64_t kube_proxy_millis = 100;

/// The parsed inputs of a template.
struct Findings {
    GceMachineType type{};
    KubeEnv env{};
    bool has_kube_env = false;
    NodeImage image{};
    Labels labels{};  ///< of kube-env
};

Result<GceMachineType> find_figures(const TemplateSources& sources) {
    if (sources.machine_type) return *sources.machine_type;
    const std::string& name = sources.instance_template.machine_type;
    CAPSTAN_TRY(std::optional<GceMachineType> custom, parse_custom_type(name));
    if (custom) return *std::move(custom);
    return fail(ErrorCode::unavailable,
                "cpu and memory of machine type \"" + name + "\" are unknown");
}

/// Fails for a kube-env that cannot be parsed. Without its taints any pod would seem to fit.
Result<KubeEnv> find_kube_env(const InstanceTemplate& from) {
    const auto at = from.metadata.find("kube-env");
    if (at == from.metadata.end()) return KubeEnv();
    Result<KubeEnv> out = KubeEnv::parse(at->second);
    if (!out) return fail(ErrorCode::invalid_config, out.error().message);
    return out;
}

std::string zone_of_template(const ManagedGroup& group) {
    if (group.link.place.scope == Scope::zone) return group.link.place.name;
    return group.zones.empty() ? std::string() : group.zones.front();
}

std::string region_of_template(const ManagedGroup& group) {
    const Place& place = group.link.place;
    return place.scope == Scope::region ? place.name : region_of_zone(zone_of_template(group));
}

void set_label(Labels& labels, std::string_view key, const std::string& value) {
    if (!value.empty() && is_label_value(value)) labels.insert_or_assign(std::string(key), value);
}

/// Adds a label, unless kube-env has set its key.
void add_label(Labels& labels, std::string_view key, const std::string& value) {
    if (!value.empty() && is_label_value(value)) labels.emplace(std::string(key), value);
}

void put_machine_labels(const TemplateSources& sources, const Findings& found, Labels& labels) {
    const std::string& type = sources.instance_template.machine_type;
    const std::string zone = zone_of_template(sources.group);
    set_label(labels, well_known::arch_label, found.image.arch);
    set_label(labels, well_known::os_label, found.image.os);
    set_label(labels, well_known::instance_type_label, type);
    set_label(labels, well_known::zone_label, zone);
    set_label(labels, "topology.gke.io/zone", zone);
    set_label(labels, well_known::region_label, region_of_template(sources.group));
    if (!found.has_kube_env) return;
    // Only GKE's nodes have these labels.
    add_label(labels, "cloud.google.com/machine-family", family_of(type));
    const auto accelerators = accelerators_of(sources.instance_template, sources.machine_type);
    const auto gpu = std::ranges::find_if(accelerators, [](const TemplateAccelerator& one) {
        return one.type.starts_with("nvidia-");
    });
    if (gpu != accelerators.end()) add_label(labels, gke_accelerator_label, gpu->type);
    if (sources.instance_template.is_spot && !labels.contains("cloud.google.com/gke-preemptible"))
        add_label(labels, "cloud.google.com/gke-spot", "true");
}

/// The CPUs that kubelet sees. With threadsPerCore = 1 these are half of the machine type's vCPUs,
/// except in families in which a vCPU is a whole core.
std::int64_t visible_cpus(const TemplateSources& sources, const GceMachineType& type) {
    constexpr std::array<std::string_view, 6> single_threaded{"t2a", "t2d", "c4a",
                                                              "n4a", "h3",  "h4d"};
    const std::string family = family_of(sources.instance_template.machine_type);
    const bool is_halved = sources.instance_template.threads_per_core == 1 &&
                           std::ranges::count(single_threaded, family) == 0;
    return is_halved ? std::max<std::int64_t>(1, type.vcpus / 2) : type.vcpus;
}

Result<Resources> capacity_of(const TemplateSources& sources, const TemplateConfig& config,
                              const Findings& found, std::vector<std::string>& warnings) {
    Resources out;
    const std::int64_t memory = found.type.memory_mib * bytes_per_mib;
    const int pods = find_max_pods(found.env).value_or(config.max_pods.value_or(default_max_pods));
    out.set(well_known::cpu, visible_cpus(sources, found.type) * 1000);
    out.set(well_known::memory,
            std::max<std::int64_t>(0, memory - kernel_reserve(found.image, memory)));
    out.set(well_known::pods, pods);
    CAPSTAN_TRY(const auto storage,
                find_ephemeral_storage(sources, found.env, found.image, warnings));
    if (storage) out.set(well_known::ephemeral_storage, *storage);
    const auto accelerators = accelerators_of(sources.instance_template, sources.machine_type);
    if (const std::int64_t gpus = count_gpus(accelerators, found.labels, warnings); gpus > 0)
        out.set(well_known::nvidia_gpu, gpus);
    for (const auto& [resource, amount] :
         read_extended_resources(found.env, found.labels, warnings))
        out.set(resource, amount);
    return out;
}

void take_off(Resources& from, std::string_view resource, std::int64_t amount) {
    if (const auto there = from.find(resource))
        from.set(resource, std::max<std::int64_t>(0, *there - amount));
}

Resources allocatable_of(const Resources& capacity, const Findings& found,
                         std::vector<std::string>& warnings) {
    Resources out = capacity;
    const EvictionThresholds eviction = read_eviction(found.env, warnings);
    const auto storage = capacity.amount(well_known::ephemeral_storage);
    take_off(out, well_known::ephemeral_storage,
             static_cast<std::int64_t>(eviction.storage_share * static_cast<double>(storage)));
    // Without kube-env the node is none of GKE's, and the host learns kubelet's reserves from
    // nodes.
    if (!found.has_kube_env) return out;
    take_off(out, well_known::memory, eviction.memory);
    const Resources predicted = predicted_reserve(capacity.amount(well_known::cpu) / 1000,
                                                  found.type.memory_mib * bytes_per_mib);
    for (const auto& [resource, amount] : read_reserved(found.env, predicted, warnings))
        take_off(out, resource, amount);
    return out;
}

void take_off_kube_proxy(NodeTemplate& node) {
    take_off(node.free, well_known::cpu, kube_proxy_millis);
    take_off(node.free, well_known::pods, 1);
}

void warn_of_zones(const ManagedGroup& group, const std::string& zone,
                   std::vector<std::string>& warnings) {
    if (group.link.place.scope != Scope::region || group.zones.size() < 2) return;
    warnings.push_back("its instances may be in any of " + std::to_string(group.zones.size()) +
                       " zones; a new node is assumed to be in " + zone +
                       "; use one group per zone for pods that need a certain zone");
}

void set_node_fields(NodeTemplate& node) {
    const auto said = [&](std::string_view key) {
        const auto at = node.labels.find(key);
        return at == node.labels.end() ? std::string() : at->second;
    };
    node.machine_type = said(well_known::instance_type_label);
    node.zone = said(well_known::zone_label);
    node.arch = said(well_known::arch_label);
    node.os = said(well_known::os_label);
}

Result<Findings> find_all(const TemplateSources& sources, std::vector<std::string>& warnings) {
    Findings out;
    CAPSTAN_TRY(out.type, find_figures(sources));
    CAPSTAN_TRY(out.env, find_kube_env(sources.instance_template));
    out.has_kube_env = !out.env.variables().empty();
    CAPSTAN_TRY(out.image, find_node_image(sources, out.env, warnings));
    out.labels = read_node_labels(out.env, warnings);
    return out;
}

}  // namespace

Result<GroupTemplate> make_template(const TemplateSources& sources, const TemplateConfig& config) {
    GroupTemplate out;
    CAPSTAN_TRY(const Findings found, find_all(sources, out.warnings));
    NodeTemplate& node = out.node;
    node.name = sources.group.link.name;
    node.labels = found.labels;
    put_machine_labels(sources, found, node.labels);
    node.taints = read_node_taints(found.env, out.warnings);
    CAPSTAN_TRY(node.capacity, capacity_of(sources, config, found, out.warnings));
    node.allocatable = allocatable_of(node.capacity, found, out.warnings);
    set_node_fields(node);
    node.free = node.allocatable;
    take_off_kube_proxy(node);
    // 2 variants stand for all machine types that an instance flexibility policy allows.
    node.variants = sources.group.flexible_types.size() > 1 ? 2 : 1;
    node.fingerprint = fingerprint_of(sources, config);
    warn_of_zones(sources.group, node.zone, out.warnings);
    std::ranges::sort(out.warnings);
    out.warnings.erase(std::unique(out.warnings.begin(), out.warnings.end()), out.warnings.end());
    return out;
}

}  // namespace capstan::gce
