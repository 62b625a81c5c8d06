#include "market.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <capstan/base64.hpp>
#include <capstan/glob.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "../templates/node_tags.hpp"

namespace capstan::aws {
namespace {

/// Labels that belong to an offering even if all offerings of a type have the same value.
constexpr std::array<std::string_view, 6> labels_of_offers{
    well_known::zone_label,           well_known::beta_zone_label, "topology.ebs.csi.aws.com/zone",
    "eks.amazonaws.com/capacityType", "topology.k8s.aws/zone-id",  well_known::lifecycle_label};

std::string text_of_tags(const Labels& tags) {
    std::string out;
    for (const auto& [key, value] : tags) out += (out.empty() ? "" : ", ") + key + "=" + value;
    return out;
}

/// The labels with equal values in all of them, without labels_of_offers.
Labels common_labels(const std::vector<Labels>& all) {
    Labels out = all.front();
    std::erase_if(out, [&](const auto& label) {
        const bool is_of_offer = std::ranges::count(labels_of_offers, label.first) > 0;
        return is_of_offer || !std::ranges::all_of(all, [&](const Labels& labels) {
                   const auto at = labels.find(label.first);
                   return at != labels.end() && at->second == label.second;
               });
    });
    return out;
}

Labels without_labels(Labels labels, const Labels& others) {
    std::erase_if(labels, [&](const auto& label) { return others.contains(label.first); });
    return labels;
}

/// Fails if the machines have a label of their own for which the plan wants another value.
Result<void> check_contradictions(const Labels& own, const GroupPlan& plan) {
    for (const auto& [key, value] : plan.labels) {
        const auto at = own.find(key);
        if (at == own.end() || at->second == value) continue;
        return fail(ErrorCode::unsupported, "its instances have " + key + "=" + at->second +
                                                ", the plan requires " + value);
    }
    return {};
}

Result<void> check_source(const LaunchTemplateData& source, const std::string& user_data,
                          const MakingConfig& config) {
    const auto refuse = [&config](const std::string& why) {
        return fail(ErrorCode::invalid_config,
                    "provisioning: launch template " + config.launch_template.text() + " " + why);
    };
    if (source.image_id.empty()) return refuse("has no image");
    if (has_taints(user_data))
        return refuse(
            "sets taints in its user data, which capstan cannot see; remove them there and set "
            "them as provisioning.tags");
    return {};
}

}  // namespace

Market::Market(MarketFacts facts, MakingConfig config)
    : facts_(std::move(facts)), config_(std::move(config)) {}

Result<Market> Market::make(MarketFacts facts, MakingConfig config) {
    Market out(std::move(facts), std::move(config));
    if (Result<std::string> decoded = base64_decode(out.facts_.source.user_data))
        out.user_data_ = *std::move(decoded);
    out.bootstrap_ = find_bootstrap(out.user_data_);
    CAPSTAN_CHECK(check_source(out.facts_.source, out.user_data_, out.config_));
    for (const Subnet& subnet : out.facts_.subnets)
        out.subnets_by_zone_[subnet.zone].push_back(subnet.id);
    for (auto& [zone, subnets] : out.subnets_by_zone_) std::ranges::sort(subnets);
    if (out.subnets_by_zone_.empty())
        out.warnings_.push_back("provisioning: no subnet has the tags " +
                                text_of_tags(out.config_.subnet_tags));
    if (!out.facts_.image)
        out.warnings_.push_back(
            "provisioning: image " + out.facts_.source.image_id +
            " cannot be read; instance types of every architecture are offered");
    out.choose_types();
    return out;
}

void Market::choose_types() {
    std::map<std::string, std::set<std::string>> offered;
    for (const auto& [type, zone] : facts_.offerings) {
        if (subnets_by_zone_.contains(zone)) offered[type].insert(zone);
    }
    std::vector<std::string> globs = config_.instance_types;
    if (globs.empty()) globs.emplace_back("*");
    for (const std::string& glob : globs) {
        std::size_t found = 0;
        for (const auto& [name, type] : facts_.types->all()) {
            if (!matches_glob(name, glob) || !suits_image(type)) continue;
            ++found;
            const auto zones = offered.find(name);
            if (zones != offered.end()) zones_by_type_.emplace(name, zones->second);
        }
        if (found == 0)
            warnings_.push_back("provisioning: no suitable instance type matches " +
                                in_quotes(glob));
    }
}

bool Market::suits_image(const InstanceType& type) const {
    return !facts_.image || facts_.image->architecture.empty() ||
           std::ranges::count(type.architectures, facts_.image->architecture) > 0;
}

bool Market::is_offered(const InstanceType& type, const std::string& zone, bool spot) const {
    const auto zones = zones_by_type_.find(type.name);
    if (zones == zones_by_type_.end() || !zones->second.contains(zone)) return false;
    // A data file may lack the usage classes; then spot and on demand are both assumed.
    return type.usage_classes.empty() ||
           std::ranges::count(type.usage_classes, spot ? "spot" : "on-demand") > 0;
}

std::optional<Price> Market::price_of(const std::string& type, const std::string& zone,
                                      bool spot) const {
    return facts_.prices == nullptr ? std::nullopt : facts_.prices->find(type, zone, spot);
}

Labels Market::given_labels(const GroupPlan& plan) const {
    if (bootstrap_ == Bootstrap::unknown) return {};
    Labels out = capacity_type_labels(plan.spot);
    out.insert(plan.labels.begin(), plan.labels.end());
    return out;
}

AutoScalingGroup Market::group_of(const GroupPlan& plan, const MadeTags& tags) const {
    AutoScalingGroup out{.name = name_of_made_group(plan.name, config_.cluster)};
    out.max = config_.max_size;
    out.zones = {plan.zone};
    out.subnets = subnets_by_zone_.at(plan.zone);
    out.tags = tags.all();
    const LaunchTemplateRef made{.name = out.name, .version = "1"};
    if (plan.spot) {
        MixedInstancesPolicy mixed{.launch_template = made, .on_demand_percentage = 0};
        mixed.overrides.push_back({.instance_type = plan.machine_type});
        out.mixed = std::move(mixed);
    } else {
        out.launch_template = made;
    }
    return out;
}

TemplateSources Market::sources_of(AutoScalingGroup group, const InstanceType& type,
                                   const std::string& user_data) const {
    TemplateSources out{.group = std::move(group), .types = {type}};
    out.launch_template = facts_.source;
    out.launch_template->instance_type = type.name;
    out.launch_template->requirements.reset();
    out.launch_template->spot = false;  // the group's mixed instances policy decides
    out.launch_template->user_data = user_data;
    out.image = facts_.image;
    return out;
}

Result<Market::Node> Market::node_of(const GroupPlan& plan, const InstanceType& type) const {
    Node out;
    CAPSTAN_TRY(out.tags, make_tags(plan, given_labels(plan), config_));
    CAPSTAN_TRY(out.user_data, user_data_of(plan, out.tags.all()));
    CAPSTAN_TRY(out.made, make_template(sources_of(group_of(plan, out.tags), type, out.user_data),
                                        config_.templates));
    return out;
}

std::optional<MachineType> Market::offer_type(const InstanceType& type) const {
    MachineType out{.name = type.name};
    std::vector<Labels> labels;
    for (const std::string& zone : zones_by_type_.at(type.name)) {
        for (const bool spot : {false, true}) {
            if (!is_offered(type, zone, spot)) continue;
            const auto node = node_of(
                {.name = "offer", .machine_type = type.name, .zone = zone, .spot = spot}, type);
            if (!node) continue;
            if (labels.empty()) {
                out.taints = node->made.node.taints;
                out.capacity = node->made.node.capacity;
                out.allocatable = node->made.node.allocatable;
            }
            labels.push_back(node->made.node.labels);
            const std::optional<Price> price = price_of(type.name, zone, spot);
            out.offerings.push_back({.zone = zone,
                                     .spot = spot,
                                     .price_per_hour = price ? price->per_hour : std::nullopt,
                                     .currency = price ? price->currency : Price{}.currency});
        }
    }
    if (labels.empty()) return std::nullopt;
    out.labels = common_labels(labels);
    for (std::size_t i = 0; i < labels.size(); ++i)
        out.offerings[i].labels = without_labels(std::move(labels[i]), out.labels);
    return out;
}

MachineTypes Market::machine_types() const {
    MachineTypes out;
    for (const auto& [name, zones] : zones_by_type_) {
        if (auto type = offer_type(*facts_.types->find(name)))
            out.types.push_back(*std::move(type));
    }
    return out;
}

/// Base64. The source's user data if there is nothing to add.
Result<std::string> Market::user_data_of(const GroupPlan& plan, const Labels& tags) const {
    const bool is_known = bootstrap_ != Bootstrap::unknown;
    // With user data of an unknown format, only labels and taints of the plan count: they are
    // refused below. Those in tags of the settings are the operator's responsibility.
    const NodeTags wanted =
        is_known ? read_node_tags(tags) : NodeTags{.labels = plan.labels, .taints = plan.taints};
    if (wanted.labels.empty() && wanted.taints.empty()) return facts_.source.user_data;
    CAPSTAN_TRY(const std::string made, add_to_user_data(user_data_, wanted.labels, wanted.taints));
    return base64_encode(made);
}

NodeGroup Market::listed_as(const AutoScalingGroup& group, const GroupPlan& plan,
                            const NodeTemplate& node) const {
    return {.id = NodeGroupId(group.name),
            .min = group.min,
            .max = group.max,
            .target = 0,
            .autoprovisioned = true,
            .template_fingerprint = node.fingerprint,
            .debug = group.name + " (0:" + std::to_string(group.max) + ")",
            .tags = group.tags,
            .spot = plan.spot,
            .zones = group.zones,
            .price = price_of(plan.machine_type, plan.zone, plan.spot),
            .options = read_option_tags(group.tags).options};
}

Result<Market::Node> Market::checked_node_of(const GroupPlan& plan) const {
    const InstanceType* const type = facts_.types->find(plan.machine_type);
    if (type == nullptr || !is_offered(*type, plan.zone, plan.spot)) {
        return fail(ErrorCode::unsupported, std::string(plan.spot ? "spot " : "") +
                                                plan.machine_type + " is not offered in zone " +
                                                in_quotes(plan.zone));
    }
    GroupPlan bare = plan;
    bare.labels.clear();
    bare.taints.clear();
    CAPSTAN_TRY(const Node own, node_of(bare, *type));
    CAPSTAN_CHECK(check_contradictions(own.made.node.labels, plan));
    return node_of(plan, *type);
}

Result<PossibleGroup> Market::make_group(const GroupPlan& plan) const {
    CAPSTAN_TRY(Node node, checked_node_of(plan));
    PossibleGroup out{.group = group_of(plan, node.tags)};
    const Labels owner{{std::string(made_for_tag), config_.cluster}};
    out.launch_template = {.name = out.group.name,
                           .source = config_.launch_template,
                           .instance_type = plan.machine_type,
                           .user_data = node.user_data,
                           .tags = owner,
                           .instance_tags = owner};
    out.request = {.name = out.group.name,
                   .launch_template = {.name = out.group.name, .version = "1"},
                   .subnets = out.group.subnets,
                   .max = config_.max_size,
                   .tags = std::move(node.tags.own),
                   .propagated_tags = std::move(node.tags.propagated),
                   .spot = plan.spot,
                   .instance_type = plan.machine_type};
    out.planned.node = std::move(node.made.node);
    out.planned.group = listed_as(out.group, plan, out.planned.node);
    return out;
}

}  // namespace capstan::aws
