#include "market.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <capstan/glob.hpp>
#include <capstan/kubelet_labels.hpp>
#include <capstan/label_syntax.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "../templates/node_labels_and_taints.hpp"
#include "../wire/resource_ids.hpp"
#include "autoprovisioned_group.hpp"
#include "suitable_types.hpp"
#include "template_properties.hpp"

namespace capstan::gce {
namespace {

/// Labels that belong to an offering even if all offerings have the same value.
constexpr std::array<std::string_view, 5> labels_of_offers{
    well_known::zone_label, well_known::beta_zone_label, "topology.gke.io/zone",
    "cloud.google.com/gke-provisioning", "cloud.google.com/gke-spot"};

constexpr std::string_view kube_env_key = "kube-env";

bool is_common(const std::pair<const std::string, std::string>& label,
               const std::map<std::pair<std::string, bool>, Labels>& all) {
    if (std::ranges::find(labels_of_offers, label.first) != labels_of_offers.end()) return false;
    return std::ranges::all_of(all, [&](const auto& each) {
        const auto at = each.second.find(label.first);
        return at != each.second.end() && at->second == label.second;
    });
}

Result<void> check_instance_template(const InstanceTemplate& source, const MakingConfig& config) {
    const bool can_boot = std::ranges::any_of(
        source.disks, [](const TemplateDisk& disk) { return disk.is_boot && !disk.image.empty(); });
    if (can_boot && source.properties.is_object()) return {};
    return fail(ErrorCode::invalid_config, "provisioning: instance template " +
                                               config.instance_template +
                                               " has no boot disk with an image");
}

/// Labels that describe the machine type in the source's kube-env, with the values for another
/// type.
Labels labels_of_type(const GceMachineType& type, const Labels& of_source) {
    constexpr std::int64_t mib_per_gib = 1024;
    Labels out{{"cloud.google.com/machine-family", family_of(type.name)},
               {"cloud.google.com/gke-cpu-scaling-level", std::to_string(type.vcpus)},
               {"cloud.google.com/gke-memory-gb-scaling-level",
                std::to_string(type.memory_mib / mib_per_gib)}};
    std::erase_if(out, [&](const auto& label) { return !of_source.contains(label.first); });
    return out;
}

Labels kube_env_labels(const InstanceTemplate& source) {
    const auto there = source.metadata.find(kube_env_key);
    if (there == source.metadata.end()) return {};
    const auto env = KubeEnv::parse(there->second);
    std::vector<std::string> warnings;  // make_template reports them, and an unreadable kube-env
    return env ? read_node_labels(*env, warnings) : Labels();
}

/// The source without properties, which node templates do not depend on, and with a shortened
/// kube-env, which parses fast.
InstanceTemplate shortened(InstanceTemplate source) {
    source.properties = Json();
    const auto kube_env = source.metadata.find(kube_env_key);
    Labels metadata;
    if (kube_env != source.metadata.end())
        metadata.emplace(std::string(kube_env_key), shorten_kube_env(kube_env->second));
    source.metadata = std::move(metadata);
    return source;
}

/// The kube-env for a plan. Empty if there is nothing to add, so that the source's stays.
Result<std::string> kube_env_for(const GroupPlan& plan, const Labels& own,
                                 const InstanceTemplate& source) {
    const auto there = source.metadata.find(kube_env_key);
    const bool is_there = there != source.metadata.end();
    Labels labels = plan.labels;
    if (is_there) labels.insert(own.begin(), own.end());
    if (labels.empty() && plan.taints.empty()) return std::string();
    return write_kube_env(is_there ? there->second : std::string(), labels, plan.taints);
}

Result<void> check_label_of_plan(const std::string& key, const std::string& value) {
    CAPSTAN_CHECK(check_kubelet_label(key));
    if (is_label_key(key) && is_label_value(value)) return {};
    return fail(ErrorCode::unsupported, in_quotes(key + "=" + value) + " is not a valid label");
}

Result<void> check_words(const GroupPlan& plan) {
    for (const auto& [key, value] : plan.labels) CAPSTAN_CHECK(check_label_of_plan(key, value));
    for (const Taint& taint : plan.taints)
        if (!is_label_key(taint.key) || !is_label_value(taint.value))
            return fail(ErrorCode::unsupported,
                        in_quotes(to_string(taint)) + " is not a valid taint");
    return {};
}

}  // namespace

Market::Market(MarketFacts facts, MakingConfig config)
    : facts_(std::move(facts)), config_(std::move(config)) {}

Result<Market> Market::make(MarketFacts facts, MakingConfig config) {
    CAPSTAN_CHECK(check_instance_template(facts.source, config));
    Market out(std::move(facts), std::move(config));
    out.arch_ =
        arch_of_template(out.facts_.source, out.facts_.image ? &*out.facts_.image : nullptr);
    out.template_source_ = shortened(out.facts_.source);
    out.source_labels_ = kube_env_labels(out.template_source_);
    out.add_warnings();
    out.choose_types();
    out.make_offers();
    return out;
}

void Market::add_warnings() {
    const std::string template_name =
        "provisioning: instance template " + config_.instance_template;
    if (facts_.types_by_zone.empty())
        warnings_.emplace_back("provisioning: no zone for new instances");
    if (!facts_.image)
        warnings_.push_back("provisioning: the image of instance template " +
                            config_.instance_template +
                            " cannot be read and is assumed to be for " + arch_);
    if (facts_.source.is_spot)
        warnings_.push_back(template_name + " is for spot instances, so only spot is offered");
}

void Market::choose_types() {
    std::vector<std::string> globs = config_.machine_types;
    if (globs.empty()) globs.emplace_back("*");
    for (const std::string& glob : globs) {
        if (choose(glob) || choose_custom(glob)) continue;
        warnings_.push_back("provisioning: no suitable machine type matches " + in_quotes(glob));
    }
}

bool Market::choose(const std::string& glob) {
    bool is_any = false;
    for (const auto& [zone, types] : facts_.types_by_zone) {
        const auto accelerators = facts_.accelerators_by_zone.find(zone);
        const auto* const in_zone =
            accelerators == facts_.accelerators_by_zone.end() ? nullptr : &accelerators->second;
        for (const GceMachineType& type : types) {
            if (!matches_glob(type.name, glob)) continue;
            if (!why_unsuitable(type, facts_.source, arch_, in_zone).empty()) continue;
            is_any = true;
            offered_types_.try_emplace(type.name, OfferedType{type, {}})
                .first->second.zones.insert(zone);
        }
    }
    return is_any;
}

/// Custom types are not listed. A zone that has types of the family has its custom types, too.
bool Market::choose_custom(const std::string& name) {
    const std::optional<GceMachineType> custom = parse_custom_type(name).value_or(std::nullopt);
    if (!custom) return false;
    if (!why_unsuitable(*custom, facts_.source, arch_, nullptr).empty()) return false;
    OfferedType known{*custom, {}};
    for (const auto& [zone, types] : facts_.types_by_zone) {
        const bool has_family = std::ranges::any_of(types, [&](const GceMachineType& type) {
            return family_of(type.name) == family_of(name);
        });
        if (has_family) known.zones.insert(zone);
    }
    if (known.zones.empty()) return false;
    offered_types_.insert_or_assign(name, std::move(known));
    return true;
}

std::vector<bool> Market::terms() const {
    if (facts_.source.is_spot) return {true};
    return {false, true};
}

void Market::make_offers() {
    const LabelsByTerms labels = find_labels_of_offers();
    for (const auto& [name, known] : offered_types_) {
        if (auto type = offer_type(known, labels)) machine_types_.types.push_back(*std::move(type));
    }
    if (offered_types_.empty() || !machine_types_.types.empty()) return;
    const auto& [name, known] = *offered_types_.begin();
    const auto node = bare_node_of(known.type, {*known.zones.begin(), terms().front()});
    if (!node)
        warnings_.push_back("provisioning: no group can be created: " + node.error().message);
}

/// Labels by zone and provisioning model are the same for every type, and parsing `kube-env` is
/// slow, so they are computed for one type only.
Market::LabelsByTerms Market::find_labels_of_offers() const {
    for (const auto& [name, known] : offered_types_) {
        LabelsByTerms all;
        bool is_whole = true;
        for (const auto& [zone, types] : facts_.types_by_zone) {
            for (const bool spot : terms()) {
                auto node = bare_node_of(known.type, {zone, spot});
                is_whole = is_whole && node;
                if (node) all.emplace(Terms{zone, spot}, std::move(node->labels));
            }
        }
        if (!is_whole) continue;
        LabelsByTerms out = all;
        for (auto& [terms, labels] : out)
            std::erase_if(labels, [&](const auto& label) { return is_common(label, all); });
        return out;
    }
    return {};
}

std::optional<MachineType> Market::offer_type(const OfferedType& known,
                                              const LabelsByTerms& labels) const {
    if (labels.empty()) return std::nullopt;
    const Terms first{*known.zones.begin(), terms().front()};
    auto node = bare_node_of(known.type, first);
    if (!node) return std::nullopt;
    MachineType out{.name = known.type.name};
    out.labels = std::move(node->labels);
    std::erase_if(out.labels,
                  [&](const auto& label) { return labels.at(first).contains(label.first); });
    out.taints = std::move(node->taints);
    out.capacity = std::move(node->capacity);
    out.allocatable = std::move(node->allocatable);
    for (const std::string& zone : known.zones) {
        for (const bool spot : terms()) {
            const std::optional<Price> price = price_of(template_source_, known.type, spot);
            out.offerings.push_back({.zone = zone,
                                     .spot = spot,
                                     .labels = labels.at({zone, spot}),
                                     .price_per_hour = price ? price->per_hour : std::nullopt,
                                     .currency = price ? price->currency : Price{}.currency});
        }
    }
    return out;
}

std::optional<Price> Market::price_of(const InstanceTemplate& made, const GceMachineType& type,
                                      bool spot) const {
    if (facts_.prices == nullptr) return std::nullopt;
    InstanceTemplate node = made;
    node.machine_type = type.name;
    node.accelerators = accelerators_on(type, facts_.source);
    return facts_.prices->find(node, type, spot);
}

const Market::OfferedType* Market::find_offered(const GroupPlan& plan) const {
    const auto at = offered_types_.find(plan.machine_type);
    const bool has_terms = std::ranges::count(terms(), plan.spot) > 0;
    if (at == offered_types_.end() || !has_terms || !at->second.zones.contains(plan.zone))
        return nullptr;
    return &at->second;
}

/// What machines carry by themselves and the plan wants otherwise, and what kubelet would not take.
Result<void> Market::check_plan(const GroupPlan& plan) const {
    CAPSTAN_CHECK(check_words(plan));
    const auto type =
        std::ranges::lower_bound(machine_types_.types, plan.machine_type, {}, &MachineType::name);
    if (type == machine_types_.types.end() || type->name != plan.machine_type) return {};
    const auto offer = std::ranges::find_if(type->offerings, [&](const MachineOffering& each) {
        return each.zone == plan.zone && each.spot == plan.spot;
    });
    Labels own = type->labels;
    if (offer != type->offerings.end()) own.insert(offer->labels.begin(), offer->labels.end());
    for (const auto& [key, value] : plan.labels) {
        const auto at = own.find(key);
        if (at == own.end() || at->second == value) continue;
        return fail(ErrorCode::unsupported, "its instances have " + key + "=" + at->second +
                                                ", the plan requires " + value);
    }
    return {};
}

Result<InstanceTemplate> Market::template_of(const GroupPlan& plan, const GceMachineType& type,
                                             const InstanceTemplate& source) const {
    InstanceTemplate out = source;
    Labels own = labels_of_type(type, source_labels_);
    own.merge(provisioning_labels(plan.spot));
    CAPSTAN_TRY(std::string kube_env, kube_env_for(plan, own, source));
    if (!kube_env.empty())
        out.metadata.insert_or_assign(std::string(kube_env_key), std::move(kube_env));
    CAPSTAN_TRY(out.labels, make_machine_labels(plan, source.labels, config_));
    out.link.project = config_.project;
    out.link.place = {};
    out.link.collection = "instanceTemplates";
    out.link.name = name_of_made_group(plan.name, config_.cluster);
    out.id.clear();
    out.machine_type = type.name;
    out.accelerators = accelerators_on(type, source);
    out.is_spot = plan.spot;
    if (plan.spot && out.termination_action.empty()) out.termination_action = "DELETE";
    if (plan.spot) out.reservation_affinity.clear();
    return out;
}

ManagedGroup Market::group_of(const GroupPlan& plan, const InstanceTemplate& made) const {
    ManagedGroup out;
    out.link.project = config_.project;
    out.link.place = {Scope::zone, plan.zone};
    out.link.collection = "instanceGroupManagers";
    out.link.name = made.link.name;
    out.base_name = made.link.name;
    out.template_link = made.link.path();
    out.is_stable = true;
    return out;
}

Result<NodeTemplate> Market::node_of(const GroupPlan& plan, const InstanceTemplate& made,
                                     const GceMachineType& type) const {
    const TemplateSources sources{.group = group_of(plan, made),
                                  .instance_template = made,
                                  .machine_type = type,
                                  .image = facts_.image};
    CAPSTAN_TRY(GroupTemplate out, make_template(sources, config_.templates));
    return std::move(out.node);
}

Result<NodeTemplate> Market::bare_node_of(const GceMachineType& type, const Terms& terms) const {
    const GroupPlan plan{
        .name = "offer", .machine_type = type.name, .zone = terms.first, .spot = terms.second};
    CAPSTAN_TRY(const InstanceTemplate made, template_of(plan, type, template_source_));
    return node_of(plan, made, type);
}

NodeGroup Market::listed_as(const ManagedGroup& group, const GroupPlan& plan,
                            const OfferedType& known, const InstanceTemplate& made,
                            const NodeTemplate& node) const {
    NodeGroup out{.id = NodeGroupId(group_id_of(group.link)), .min = 0, .max = config_.max_size};
    out.target = 0;
    out.autoprovisioned = true;
    out.template_fingerprint = node.fingerprint;
    out.debug = out.id.value() + " (0:" + std::to_string(config_.max_size) + ")";
    out.spot = plan.spot;
    out.zones = {plan.zone};
    out.price = price_of(made, known.type, plan.spot);
    out.options = read_kube_env_options(made).options;
    return out;
}

Result<const Market::OfferedType*> Market::require_offered_type(const GroupPlan& plan) const {
    const OfferedType* const known = find_offered(plan);
    if (known == nullptr)
        return fail(ErrorCode::unsupported, std::string(plan.spot ? "spot " : "") +
                                                plan.machine_type + " is not offered in zone " +
                                                in_quotes(plan.zone));
    CAPSTAN_CHECK(check_plan(plan));
    return known;
}

Result<PlannedGroup> Market::plan_group(const GroupPlan& plan) const {
    CAPSTAN_TRY(const OfferedType* const known, require_offered_type(plan));
    CAPSTAN_TRY(const InstanceTemplate made, template_of(plan, known->type, template_source_));
    PlannedGroup out;
    CAPSTAN_TRY(out.node, node_of(plan, made, known->type));
    out.group = listed_as(group_of(plan, made), plan, *known, made, out.node);
    return out;
}

Result<PossibleGroup> Market::make_group(const GroupPlan& plan) const {
    PossibleGroup out;
    CAPSTAN_TRY(out.planned, plan_group(plan));
    CAPSTAN_TRY(const InstanceTemplate made,
                template_of(plan, offered_types_.at(plan.machine_type).type, facts_.source));
    out.group = group_of(plan, made);
    out.template_link = made.link;
    out.template_properties = make_template_properties(made);
    out.description = describe_made_group(plan, config_.cluster);
    out.request = {.link = out.group.link,
                   .template_link = out.group.template_link,
                   .base_name = out.group.base_name,
                   .description = out.description};
    return out;
}

}  // namespace capstan::gce
