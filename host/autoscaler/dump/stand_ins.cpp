#include "autoscaler/dump/stand_ins.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/json.hpp>
#include <capstan/sentence.hpp>

#include "autoscaler/dump/group_names.hpp"
#include "autoscaler/engine_settings.hpp"
#include "autoscaler/offline/prepare.hpp"
#include "autoscaler/offline/simulated_groups.hpp"
#include "config/toml_values.hpp"
#include "engine/templates/well_known_labels.hpp"

namespace capstan::autoscaler::dump {
namespace {

using config::Config;
using config::PluginConfig;
using offline::SimulatedGroup;

/// How the providerIDs of a shipped cloud's nodes begin.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> schemes{
    {{"aws", "aws://"}, {"gce", "gce://"}, {"simulated", "simulated://"}}};

/// The prices of whole machine types in the price file of a cloud plugin, a file by
/// deploy/aws/make_prices or deploy/gce/make_prices. Rates by core and GiB, which the file for
/// Google Cloud has for most types, are left out.
class PriceFile {
public:
    /// The error names the file.
    static Result<PriceFile> read(const std::filesystem::path& file);

    /// By the hour. Absent: unknown.
    std::optional<double> find(const std::string& type, const std::string& zone, bool spot) const;
    const std::string& currency() const noexcept { return currency_; }

private:
    struct Entry {
        std::optional<double> on_demand{}, spot{};
        std::map<std::string, double> spot_by_zone{};
    };
    std::map<std::string, Entry> types_;
    std::string currency_ = "USD";
};

Result<PriceFile> PriceFile::read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return fail(ErrorCode::not_found, file.string() + ": cannot be read");
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const Result<Json> json = parse_json(text);
    if (!json) return fail(within(file.string(), json.error()));
    PriceFile out;
    if (const Json* currency = json->find("currency")) out.currency_ = currency->text();
    const Json* types = json->find("prices");  // of AWS
    if (types == nullptr) types = json->find("types");
    if (types == nullptr || !types->is_object())
        return fail(ErrorCode::invalid_config, file.string() + ": is not a file of prices");
    for (const auto& [type, prices] : types->members()) {
        Entry& entry = out.types_[std::string(type)];
        if (const Json* price = prices.find("on_demand")) entry.on_demand = price->number();
        const Json* const spot = prices.find("spot");
        if (spot == nullptr) continue;
        if (!spot->is_object()) {
            entry.spot = spot->number();
            continue;
        }
        for (const auto& [zone, price] : spot->members())
            if (const auto number = price.number()) entry.spot_by_zone[std::string(zone)] = *number;
    }
    return out;
}

std::optional<double> PriceFile::find(const std::string& type, const std::string& zone,
                                      bool spot) const {
    const auto at = types_.find(type);
    if (at == types_.end()) return std::nullopt;
    const Entry& entry = at->second;
    if (!spot) return entry.on_demand;
    if (entry.spot_by_zone.empty()) return entry.spot;
    const auto here = entry.spot_by_zone.find(zone);
    if (here != entry.spot_by_zone.end()) return here->second;
    return std::ranges::max_element(entry.spot_by_zone, {},
                                    [](const auto& each) { return each.second; })
        ->second;
}

/// A cloud of the configuration, and the groups that stand in for its own.
struct Cloud {
    PluginInstanceId id{};
    std::string scheme{};  ///< empty: the plugin may have nodes of any provider
    std::optional<PriceFile> prices{};
    std::vector<SimulatedGroup> groups{};
};

std::string plugin_name(const PluginConfig& plugin) {
    return std::filesystem::path(plugin.file).stem().string();
}

std::string scheme_of(const PluginConfig& plugin) {
    const auto known = std::ranges::find(schemes, plugin_name(plugin),
                                         [](const auto& scheme) { return scheme.first; });
    return plugin.shipped && known != schemes.end() ? std::string(known->second) : std::string();
}

/// How [simulate], the status and the cloud describe a group of the dump.
class GroupMaker {
public:
    GroupMaker(const Config& config, std::vector<std::string>& remarks)
        : config_(config), remarks_(remarks) {
        for (const PluginInstanceId& id : config.pipeline.clouds)
            if (const PluginConfig* plugin = config.find_plugin(id.value())) add_cloud(*plugin);
        if (clouds_.empty()) clouds_.push_back({.id = offline::simulated_cloud});
    }

    /// The nodes' own providerID decides.
    Cloud& cloud_of(const std::string& provider_id) {
        const auto fits = std::ranges::find_if(clouds_, [&](const Cloud& cloud) {
            return !cloud.scheme.empty() && provider_id.starts_with(cloud.scheme);
        });
        if (fits != clouds_.end()) return *fits;
        const auto any =
            std::ranges::find_if(clouds_, [](const Cloud& cloud) { return cloud.scheme.empty(); });
        return any == clouds_.end() ? clouds_.front() : *any;
    }

    SimulatedGroup make(NamedGroup named, const Cloud& cloud) {
        const NodeTemplate& node = named.group.node;
        SimulatedGroup out{.id = named.group.id,
                           .size = static_cast<int>(named.group.nodes.size()),
                           .spot = engine::templates::is_spot(node.labels)};
        if (cloud.prices)
            out.price_per_hour = cloud.prices->find(node.machine_type, node.zone, out.spot);
        if (named.status) {
            out.min = named.status->min.value_or(0);
            out.max = named.status->max;
        }
        const auto given = config_.simulate.group.find(out.id);
        if (given != config_.simulate.group.end()) {
            out.min = given->second.min.value_or(out.min);
            if (given->second.max) out.max = given->second.max;
            if (given->second.price_per_hour) out.price_per_hour = given->second.price_per_hour;
        }
        // A group that is beyond its bounds neither grows nor shrinks because of them.
        out.min = std::min(out.min, out.size);
        if (out.max) out.max = std::max(*out.max, out.size);
        if (named.status && named.status->target > out.size)
            out.target = std::min(named.status->target, out.max.value_or(named.status->target));
        if (out.target == out.size) out.target.reset();
        out.node = std::move(named.group.node);
        return out;
    }

    std::vector<Cloud>& clouds() noexcept { return clouds_; }

private:
    void add_cloud(const PluginConfig& plugin) {
        Cloud& cloud = clouds_.emplace_back(Cloud{.id = plugin.id, .scheme = scheme_of(plugin)});
        const std::string file = text_of(plugin.settings, "price_file");
        if (file.empty()) return;
        Result<PriceFile> prices = PriceFile::read(file);
        if (prices) {
            cloud.prices = *std::move(prices);
        } else {
            remarks_.push_back("plugin " + plugin.id.value() +
                               ": price_file: " + prices.error().message + "; prices are unknown");
        }
    }

    const Config& config_;
    std::vector<std::string>& remarks_;
    std::vector<Cloud> clouds_;
};

/// Gives the group's nodes the provider ids of the simulated cloud's machines, which are numbered.
void attach(std::vector<engine::snapshot::NodeObject>& nodes, const GuessedGroup& group,
            std::map<std::string, std::string, std::less<>>& provider_ids) {
    for (std::size_t i = 0; i < group.nodes.size(); ++i) {
        std::string& id = nodes[group.nodes[i]].provider_id;
        std::string machine = offline::machine_id(group.id, i + 1);
        if (!id.empty()) provider_ids.emplace(machine, std::move(id));
        id = std::move(machine);
    }
}

/// The back-off that the status shows. It does not say when the back-off ends; this assumes the
/// first doubling of the initial time that has not ended, at most the longest time from now.
engine::Backoff make_backoff(const StatusGroup::Backoff& status, const Config& config, Time now) {
    const config::ScaleUp& settings = config.scale_up;
    const Time since = std::min(status.since.value_or(now), now);
    Duration length = settings.initial_node_group_backoff_duration;
    while (length > Duration(0) && since + length <= now &&
           length < settings.max_node_group_backoff_duration)
        length *= 2;
    length = std::min(length, settings.max_node_group_backoff_duration);
    const std::string code = status.code.empty() ? "" : status.code + ": ";
    return {.since = since,
            .until = (since + length > now ? since : now) + length,
            .length = length,
            .last_failure = since,
            .because = engine::BriefText(code + (status.message.empty()
                                                     ? "the status ConfigMap shows a back-off"
                                                     : status.message))};
}

std::string sentence_about_others(std::size_t others) {
    if (others == 0) return {};
    return "; " + std::to_string(others) +
           (others == 1 ? " node is in no group" : " nodes are in no group");
}

/// Groups that the status or [simulate] names and no node belongs to.
std::vector<std::string> unknown_groups(const std::vector<StatusGroup>& status,
                                        const std::set<std::string>& known, const Config& config) {
    std::vector<std::string> out;
    std::vector<std::string> empty;
    for (const StatusGroup& group : status)
        if (!known.contains(group.name)) empty.push_back(group.name);
    const auto same = [](const std::string& name) { return name; };
    if (!empty.empty()) {
        out.push_back("the status ConfigMap has " + counted(std::ssize(empty), "node group") +
                      " without nodes in this dump: " + listed(empty, same) +
                      "; left out, because their machines are unknown");
    }
    for (const auto& [id, group] : config.simulate.group) {
        if (!known.contains(id) && std::ranges::count(empty, id) == 0)
            out.push_back("simulate.group." + id + ": no such node group in this dump; it has " +
                          listed(known, same));
    }
    return out;
}

/// What is not known of the clouds that are replaced.
std::string sentence_about(const Cloud& cloud, bool wants_prices) {
    const bool lacks_prices =
        wants_prices && std::ranges::any_of(cloud.groups, [](const SimulatedGroup& group) {
            return !group.price_per_hour;
        });
    return "plugin " + cloud.id.value() + ": not called in a simulation; " +
           counted(std::ssize(cloud.groups), "node group") +
           (cloud.groups.size() == 1 ? " stands" : " stand") +
           " in for it, without its launch templates, quotas and shortages" +
           (lacks_prices ? "; prices are unknown: set price_per_hour in [simulate.group.ID]" : "");
}

bool chooses_by_price(const Config& config) {
    return std::ranges::any_of(config.pipeline.scale_up.expanders, [&](const auto& stage) {
        const PluginConfig* const plugin = config.find_plugin(stage.use.value());
        return plugin != nullptr && plugin->shipped && plugin_name(*plugin) == "price";
    });
}

/// The groups of the nodes, with the names that their clouds give them.
std::vector<NamedGroup> find_groups(GroupMaker& maker,
                                    const std::vector<engine::snapshot::NodeObject>& nodes,
                                    const std::vector<StatusGroup>& status, const Config& config,
                                    Time now) {
    std::vector<GuessedGroup> guessed =
        guess_groups(nodes, make_settings(config.scale_up, config.scale_down, config.limits), now);
    for (GuessedGroup& group : guessed) {
        if (maker.cloud_of(nodes[group.nodes.front()].provider_id).scheme != "gce://") continue;
        if (auto id = find_gke_group(group, nodes)) group.id = *std::move(id);
    }
    return name_groups(std::move(guessed), nodes, status);
}

/// What was guessed, and from how many of the nodes.
void describe_groups(const std::vector<NamedGroup>& groups, std::size_t nodes,
                     std::vector<std::string>& remarks) {
    std::size_t members = 0, from_status = 0;
    std::vector<std::string> in_one_zone;
    for (const NamedGroup& named : groups) {
        members += named.group.nodes.size();
        if (named.status) ++from_status;
        if (named.zones > 1) in_one_zone.push_back(named.group.id + " in " + named.group.node.zone);
    }
    remarks.push_back("guessed " + counted(std::ssize(groups), "node group") + " from " +
                      counted(static_cast<std::int64_t>(members), "node") +
                      sentence_about_others(nodes - members));
    if (from_status > 0)
        remarks.push_back("names and limits of " +
                          counted(static_cast<std::int64_t>(from_status), "node group") +
                          " are those of the status ConfigMap");
    if (!in_one_zone.empty())
        remarks.push_back("node groups with nodes in several zones grow in one zone here: " +
                          listed(in_one_zone, [](const std::string& each) { return each; }));
}

}  // namespace

bool needs_stand_ins(const Config& config) {
    const std::vector<PluginInstanceId>& clouds = config.pipeline.clouds;
    return clouds.empty() || std::ranges::any_of(clouds, [&](const PluginInstanceId& id) {
               const PluginConfig* const plugin = config.find_plugin(id.value());
               return plugin != nullptr &&
                      (offline::needs_network(*plugin) || !plugin->grants.kube.empty());
           });
}

Result<StandIns> make_stand_ins(std::vector<engine::snapshot::NodeObject>& nodes,
                                const std::vector<StatusGroup>& status, const Config& config,
                                const std::string& source, Time now) {
    StandIns out;
    GroupMaker maker(config, out.remarks);
    std::vector<StatusGroup> named_status = status;
    for (StatusGroup& group : named_status) group.name = group_id_of_link(group.name);
    std::vector<NamedGroup> groups = find_groups(maker, nodes, named_status, config, now);
    describe_groups(groups, nodes.size(), out.remarks);
    std::set<std::string> known;
    for (NamedGroup& named : groups) {
        const std::string& id = *known.insert(named.group.id).first;
        if (named.status && named.status->backoff)
            out.memory.backoffs.emplace(NodeGroupId(id),
                                        make_backoff(*named.status->backoff, config, now));
        Cloud& cloud = maker.cloud_of(nodes[named.group.nodes.front()].provider_id);
        attach(nodes, named.group, out.provider_ids);
        cloud.groups.push_back(maker.make(std::move(named), cloud));
    }
    for (std::string& remark : unknown_groups(named_status, known, config))
        out.remarks.push_back(std::move(remark));
    for (const Cloud& cloud : maker.clouds()) {
        if (!config.pipeline.clouds.empty())
            out.remarks.push_back(sentence_about(cloud, chooses_by_price(config)));
        CAPSTAN_TRY(offline::CloudSettings settings,
                    offline::make_cloud_settings(source, cloud.groups));
        settings.id = cloud.id;
        if (cloud.prices)
            put(config::text_value("currency", cloud.prices->currency()), settings.settings);
        out.clouds.push_back(std::move(settings));
    }
    return out;
}

}  // namespace capstan::autoscaler::dump
