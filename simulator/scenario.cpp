#include "simulator/scenario.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <capstan/duration.hpp>

#include "autoscaler/engine_settings.hpp"
#include "config/overrides.hpp"
#include "config/text.hpp"
#include "config/toml_values.hpp"
#include "io/text_format.hpp"
#include "simulator/scenario_events.hpp"
#include "simulator/scenario_groups.hpp"
#include "simulator/scenario_keys.hpp"
#include "simulator/scenario_objects.hpp"
#include "simulator/workload_objects.hpp"

namespace capstan::simulator {
namespace {

using config::Diagnostics;
using config::Field;
using config::Fields;
using config::SettingValue;
using config::TomlValue;

/// The sections of a configuration that a scenario may have.
constexpr std::array<std::string_view, 8> sections{"pipeline", "plugin", "scale_up", "scale_down",
                                                   "limits",   "trust",  "secrets",  "log"};

/// How settings begin that a step can reload.
constexpr std::array<std::string_view, 3> reloadable_sections{"scale_up.", "scale_down.",
                                                              "limits."};

/// A table whose keys are checked elsewhere: by the configuration's reader, or by the simulated
/// cloud.
Field opaque(std::string key, std::string doc) {
    return {
        .key = std::move(key), .type = SettingType::table, .doc = std::move(doc), .opaque = true};
}

Field opaque_list(std::string key, std::string doc) {
    Field out = opaque(std::move(key), std::move(doc));
    out.list = true;
    return out;
}

Fields make_schema() {
    Fields fields = config::fields_of(keys::Scenario{});
    Fields& step = std::ranges::find(fields, "step", &Field::key)->fields;
    step.push_back(opaque_list("change", "Changes of the simulated cloud."));
    step.push_back(opaque_list("cloud", "Changes of other settings of simulated clouds."));
    step.push_back(opaque_list("groups", "Node groups to add to the simulated cloud."));
    fields.push_back(opaque_list("group", "A node group of the simulated cloud."));
    fields.push_back(opaque_list(
        "machine_type", "Machine types from which the simulated cloud can create groups."));
    fields.push_back(opaque("cloud", "Other settings of the simulated cloud."));
    for (const std::string_view section : sections)
        fields.push_back(opaque(std::string(section), "Section of the configuration."));
    return fields;
}

/// Says where a key that is unknown at `path` would have been right; empty: nowhere.
std::string hint(std::string_view path, std::string_view key) {
    if (key == "options")
        return "; settings belong in sections such as [scale_up] and [limits], as in a "
               "configuration";
    if (!path.empty()) return "";
    const Fields& all = scenario_schema();
    const Fields& step = std::ranges::find(all, "step", &Field::key)->fields;
    return std::ranges::count(step, key, &Field::key) > 0 ? "; it belongs in a [[step]]" : "";
}

const std::vector<SettingValue>& items_of(const SettingValue& tree, std::string_view key) {
    static const std::vector<SettingValue> none;
    const SettingValue* list = tree.find(key);
    return list == nullptr ? none : list->children;
}

class Reader {
public:
    Reader(const TomlValue& root, const SettingValue& tree, const config::ShippedPlugins& shipped,
           Diagnostics& diagnostics)
        : root_(root),
          tree_(tree),
          shipped_(shipped),
          values_(config::read_section<keys::Scenario>(tree)),
          diagnostics_(diagnostics),
          sections_(sections_of(root)),
          cloud_(make_cloud(root, diagnostics)) {
        others_.settings = groups_of_plugins(root);
    }

    Input input() {
        Input out{.title = values_.title,
                  .source = diagnostics_.source().name,
                  .seed = static_cast<std::uint64_t>(values_.seed),
                  .scan_interval = values_.scan_interval.value_or(std::chrono::seconds(10)),
                  .register_delay = values_.register_delay,
                  .ready_delay = values_.ready_delay,
                  .scheduler = values_.scheduler,
                  .scheduler_score = values_.scheduler_score,
                  .objects = objects(),
                  .judge = values_.judge,
                  .chaos = values_.chaos};
        if (values_.scheduler_spread)
            out.scheduler_spread = make_scheduler_spread(*values_.scheduler_spread);
        add_all(values_.budget, "budget", checked_budget, out.budgets);
        add_all(values_.fault, "fault", checked_fault, out.faults);
        for (std::size_t i = 0; i < values_.step.size(); ++i) add_step(i, out.steps);
        const ScenarioNames names{.groups = known_groups(), .batches = known_batches()};
        for (const SettingValue& table : items_of(tree_, "step"))
            check_expectations(table, names, diagnostics_);
        add_sets(values_.stateful_set, "stateful_set", out);
        add_sets(values_.replica_set, "replica_set", out);
        if (!cloud_) return out;
        out.registrations = cloud_->registrations;
        out.clouds = {std::move(cloud_->settings)};
        return out;
    }

    std::vector<SharedReplicas> balancers() {
        std::vector<SharedReplicas> out;
        add_all(values_.balancer, "balancer", checked_balancer, out);
        return out;
    }
    const keys::Scenario& values() const { return values_; }

private:
    Objects objects() {
        Objects out;
        const auto& nodes = items_of(tree_, "node");
        for (std::size_t i = 0; i < values_.node.size(); ++i) {
            for (auto& node : make_nodes(values_.node[i], nodes[i], diagnostics_))
                out.nodes.push_back(std::move(node));
        }
        const auto& sets = items_of(tree_, "daemon_set");
        for (std::size_t i = 0; i < values_.daemon_set.size(); ++i)
            out.daemon_sets.push_back(
                make_daemon_set(values_.daemon_set[i], sets[i], diagnostics_));
        add_all(values_.service, "service", make_service, out.services);
        return out;
    }

    /// The groups of the start and of all steps; absent: other groups may be made, or come from a
    /// configuration.
    std::optional<std::set<std::string, std::less<>>> known_groups() const {
        if (!cloud_ || cloud_->settings.settings.find("machine_types") != nullptr)
            return std::nullopt;
        const CloudSettings& cloud = cloud_->settings;
        const TomlValue& last = cloud.changed.children.empty() ? cloud.settings : cloud.changed;
        std::set<std::string, std::less<>> out;
        if (const TomlValue* const groups = last.find("groups"); groups != nullptr) {
            for (const TomlValue& group : groups->children) out.insert(text_of(group, "id"));
        }
        return out;
    }

    std::set<std::string, std::less<>> known_batches() const {
        std::set<std::string, std::less<>> out;
        for (const keys::Step& step : values_.step)
            for (const keys::Pods& pods : step.pods) out.insert(pods.asks.name);
        for (const keys::ReplicaSet& set : values_.replica_set) out.insert(set.pods.asks.name);
        for (const keys::StatefulSet& set : values_.stateful_set) out.insert(set.pods.asks.name);
        return out;
    }

    template <class Value, class Make, class Out>
    void add_all(const std::vector<Value>& given, std::string_view key, Make make,
                 std::vector<Out>& out) {
        const auto& tables = items_of(tree_, key);
        for (std::size_t i = 0; i < given.size(); ++i)
            out.push_back(make(given[i], tables[i], diagnostics_));
    }

    /// Adds the pods of the sets to the first step, before all of its other actions.
    template <class Set>
    void add_sets(const std::vector<Set>& sets, std::string_view key, Input& out) {
        if (out.steps.empty() && !sets.empty()) out.steps.emplace_back();
        const auto& tables = items_of(tree_, key);
        for (std::size_t i = sets.size(); i-- > 0;) {
            std::vector<Action>& first = out.steps.front().actions;
            first.insert(first.begin(), {.what = make_batch(sets[i].pods, tables[i], diagnostics_),
                                         .place = tables[i].place});
        }
    }

    /// Adds the step, after the time up to its `at`.
    void add_step(std::size_t index, std::vector<Step>& out) {
        if (const std::optional<Duration> at = values_.step[index].at)
            wait_until(*at, items_of(tree_, "step")[index].find("at")->place, out);
        out.push_back(step(index));
    }

    /// Makes the last step so long that the next one begins at `at`.
    void wait_until(Duration at, config::Place place, std::vector<Step>& out) {
        Duration begin{0};
        for (const Step& step : out) {
            if (!step.advance) {
                diagnostics_.error(place, "step: 'at' needs earlier steps without 'until'");
                return;
            }
            begin += *step.advance;
        }
        if (at < begin) {
            diagnostics_.error(place, "step: 'at' is before the end of the previous step, " +
                                          format_duration(begin));
        } else if (out.empty() && at > Duration(0)) {
            out.push_back({.advance = at, .place = place});
        } else if (!out.empty()) {
            out.back().advance = out.back().advance.value_or(Duration(0)) + (at - begin);
        }
    }

    Step step(std::size_t index) {
        const keys::Step& given = values_.step[index];
        const SettingValue& table = items_of(tree_, "step")[index];
        Step out{.actions = actions(given, table, root_.find("step")->children[index]),
                 .advance = given.advance,
                 .until_command = make_until(given, table, diagnostics_),
                 .expect = given.expected,
                 .place = table.place};
        if (out.expect.only.empty()) out.expect.only = keys::words_of(values_.expect_only);
        if (given.advance && given.until)
            diagnostics_.error(table.find("until")->place,
                               "step: 'advance' and 'until' exclude each other");
        if (!given.advance && !given.until) out.advance = Duration(0);
        return out;
    }

    /// The configuration after the reload of a step. It keeps what earlier steps have set.
    void add_reload(const keys::Step& given, const SettingValue& table, std::vector<Action>& out) {
        if (given.reload.empty()) return;
        const auto place = table.find("reload")->place;
        std::string text;
        for (const std::string& assignment : given.reload) {
            text += (text.empty() ? "" : ", ") + assignment;
            const bool may_change = std::ranges::any_of(
                reloadable_sections,
                [&](std::string_view section) { return assignment.starts_with(section); });
            if (!may_change)
                diagnostics_.error(place, "reload: " + in_quotes(assignment) +
                                              " is not a setting of [scale_up], [scale_down] or "
                                              "[limits]");
        }
        if (diagnostics_.errors() > 0) return;
        config::override_values(sections_, given.reload, diagnostics_);
        auto config = config::read_config(sections_, shipped_, diagnostics_);
        if (!config) return;
        out.push_back({.what = Reload{.scale_up = std::move(config->scale_up),
                                      .scale_down = std::move(config->scale_down),
                                      .limits = std::move(config->limits),
                                      .text = text,
                                      .settings = given.reload},
                       .place = place});
    }

    /// The actions of a step: first those on the cloud, then those on nodes, then those on pods.
    std::vector<Action> actions(const keys::Step& given, const SettingValue& table,
                                const TomlValue& written) {
        const bool may_be_others = !cloud_ && root_.find("plugin") != nullptr;
        std::vector<Action> out =
            make_cloud_actions(written, cloud_ ? cloud_->settings : others_,
                               may_be_others ? GroupsKnown::some : GroupsKnown::all, diagnostics_);
        add_reload(given, table, out);
        const auto& nodes = items_of(table, "nodes");
        for (std::size_t i = 0; i < given.nodes.size(); ++i) {
            for (auto& node : make_nodes(given.nodes[i], nodes[i], diagnostics_))
                out.push_back({.what = std::move(node), .place = nodes[i].place});
        }
        add_each(given.daemon_sets, items_of(table, "daemon_sets"), make_daemon_set, out);
        add_each(given.edit, items_of(table, "edit"), checked_node_edit, out);
        add_each(given.budgets, items_of(table, "budgets"), checked_budget, out);
        for (const SettingValue& item : items_of(table, "remove"))
            out.push_back({.what = Remove{item.text}, .place = item.place});
        for (const SettingValue& item : items_of(table, "scale")) {
            out.push_back(
                {.what = Scale{item.key, static_cast<int>(item.integer)}, .place = item.key_place});
        }
        add_each(given.pods, items_of(table, "pods"), make_batch, out);
        for (const SettingValue& item : items_of(table, "bind"))
            out.push_back({.what = Bind{item.key, item.text}, .place = item.key_place});
        return out;
    }

    template <class Value, class Make>
    void add_each(const std::vector<Value>& given, const std::vector<SettingValue>& tables,
                  Make make, std::vector<Action>& out) {
        for (std::size_t i = 0; i < given.size(); ++i)
            out.push_back(
                {.what = make(given[i], tables[i], diagnostics_), .place = tables[i].place});
    }

    const TomlValue& root_;
    const SettingValue& tree_;
    const config::ShippedPlugins& shipped_;
    keys::Scenario values_;
    Diagnostics& diagnostics_;
    TomlValue sections_;  ///< as the steps so far have set them
    std::optional<ScenarioCloud> cloud_;
    CloudSettings others_{};  ///< without `cloud_`: the groups of the configuration's clouds
};

/// The engine's settings by sections of a configuration; absent: they have errors.
std::optional<engine::Settings> settings_of(const TomlValue& sections,
                                            const config::ShippedPlugins& shipped,
                                            const config::Source& source) {
    Diagnostics diagnostics(source);
    const auto config = config::read_config(sections, shipped, diagnostics);
    if (!config || diagnostics.errors() > 0) return std::nullopt;
    return autoscaler::make_settings(config->scale_up, config->scale_down, config->limits);
}

void check(const keys::Scenario& given, const Input& input, const TomlValue& root, Scenario& out) {
    const TomlValue* pipeline = root.find("pipeline");
    const TomlValue* clouds = pipeline == nullptr ? nullptr : pipeline->find("clouds");
    if (clouds != nullptr && !input.clouds.empty()) {
        out.diagnostics.error(
            clouds->place,
            "pipeline.clouds: [[group]] and 'change' need the simulated cloud, which "
            "replaces other clouds");
    }
    if (given.config && out.has_sections) {
        out.diagnostics.error(
            root.find("config")->place,
            "config: a configuration file and configuration sections exclude each other");
    }
}

}  // namespace

TomlValue sections_of(const TomlValue& root) {
    TomlValue out;
    for (const TomlValue& member : root.children) {
        if (std::ranges::count(sections, member.key) > 0) out.children.push_back(member);
    }
    return out;
}

const Fields& scenario_schema() {
    static const Fields fields = make_schema();
    return fields;
}

Scenario read_scenario(const std::filesystem::path& file, const config::ShippedPlugins& shipped,
                       std::span<const std::string> overrides) {
    Result<config::Source> source = config::read_source(file);
    if (source) return read_scenario(*std::move(source), file.parent_path(), shipped, overrides);
    Scenario failed{.diagnostics = Diagnostics({file.string(), ""})};
    failed.diagnostics.error({}, source.error().message);
    return failed;
}

Scenario read_scenario(config::Source source, const std::filesystem::path& folder,
                       const config::ShippedPlugins& shipped,
                       std::span<const std::string> overrides) {
    Scenario out{.diagnostics = Diagnostics(std::move(source))};
    if (io::is_blank(out.diagnostics.source().text)) {
        out.diagnostics.error({}, std::string(io::empty_file));
        return out;
    }
    std::optional<TomlValue> root = config::parse_toml(out.diagnostics);
    if (!root) return out;
    const TomlValue written = sections_of(*root);
    config::override_values(*root, overrides, out.diagnostics);
    if (out.diagnostics.errors() > 0) return out;
    turn_shares_into_text(*root);
    const SettingValue tree =
        config::validate_settings(*root, scenario_schema(), "", out.diagnostics, hint);
    out.sections = sections_of(*root);
    out.has_sections = !out.sections.children.empty();
    out.config = config::read_config(out.sections, shipped, out.diagnostics);
    // An entry that a schema refused is missing in `tree`, whose lists no longer match the file's.
    if (out.diagnostics.errors() > 0) return out;
    Reader reader(*root, tree, shipped, out.diagnostics);
    Input& input = out.input.emplace(reader.input());
    input.own_settings = settings_of(written, shipped, out.diagnostics.source());
    out.balancers = reader.balancers();
    add_balancers(out.balancers, input);
    out.has_scan_interval = reader.values().scan_interval.has_value();
    const keys::Scenario& given = reader.values();
    if (given.config) out.config_file = folder / *given.config;
    check(given, input, *root, out);
    return out;
}

}  // namespace capstan::simulator
