#include "simulation/scenario.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/config/overrides.hpp"
#include "runtime/config/text.hpp"
#include "simulation/scenario_groups.hpp"
#include "simulation/scenario_keys.hpp"
#include "simulation/scenario_objects.hpp"

namespace capstan::simulation {
namespace {

using runtime::Diagnostics;
using runtime::Field;
using runtime::Fields;
using runtime::SettingValue;
using runtime::TomlValue;

/// What a scenario may say of a configuration, in the words of one.
constexpr std::array<std::string_view, 7> sections{"pipeline", "plugin",  "scale_up", "limits",
                                                   "trust",    "secrets", "log"};

/// A table that others check: the configuration's reader, or the simulated cloud.
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
    Fields fields = runtime::fields_of(keys::Scenario{});
    Fields& step = std::ranges::find(fields, "step", &Field::key)->fields;
    step.push_back(opaque_list("change", "What changes in the simulated cloud."));
    fields.push_back(opaque_list("group", "A node group of the simulated cloud."));
    for (const std::string_view section : sections)
        fields.push_back(opaque(std::string(section), "As in a configuration."));
    return fields;
}

const Fields& schema() {
    static const Fields fields = make_schema();
    return fields;
}

/// Where a key that is unknown here would have been right.
std::string hint(std::string_view path, std::string_view key) {
    if (key == "options")
        return "; settings stand in [scale_up] and [limits], as in a configuration";
    if (!path.empty()) return "";
    const Fields& all = schema();
    const Fields& step = std::ranges::find(all, "step", &Field::key)->fields;
    return std::ranges::count(step, key, &Field::key) > 0 ? "; it belongs in a [[step]]" : "";
}

/// The sections of a configuration that stand in the file, as the root of one.
TomlValue sections_of(const TomlValue& root) {
    TomlValue out;
    for (const TomlValue& member : root.children) {
        if (std::ranges::count(sections, member.key) > 0) out.children.push_back(member);
    }
    return out;
}

const std::vector<SettingValue>& items_of(const SettingValue& tree, std::string_view key) {
    static const std::vector<SettingValue> none;
    const SettingValue* list = tree.find(key);
    return list == nullptr ? none : list->children;
}

class Reader {
public:
    Reader(const TomlValue& root, const SettingValue& tree, Diagnostics& diagnostics)
        : root_(root),
          tree_(tree),
          said_(runtime::read_section<keys::Scenario>(tree)),
          diagnostics_(diagnostics) {}

    Input input() {
        Input out{.title = said_.title,
                  .source = diagnostics_.source().name,
                  .seed = static_cast<std::uint64_t>(said_.seed),
                  .scan_interval = said_.scan_interval.value_or(std::chrono::seconds(10)),
                  .register_delay = said_.register_delay,
                  .ready_delay = said_.ready_delay,
                  .objects = objects(),
                  .steps = {}};
        for (std::size_t i = 0; i < said_.step.size(); ++i) out.steps.push_back(step(i));
        add_replica_sets(out);
        return out;
    }

    const std::vector<GroupChange>& changes() const { return changes_; }
    const keys::Scenario& said() const { return said_; }

private:
    Objects objects() {
        Objects out;
        const auto& nodes = items_of(tree_, "node");
        for (std::size_t i = 0; i < said_.node.size(); ++i) {
            for (auto& node : make_nodes(said_.node[i], nodes[i], diagnostics_))
                out.nodes.push_back(std::move(node));
        }
        const auto& sets = items_of(tree_, "daemon_set");
        for (std::size_t i = 0; i < said_.daemon_set.size(); ++i)
            out.daemon_sets.push_back(make_daemon_set(said_.daemon_set[i], sets[i], diagnostics_));
        return out;
    }

    /// They arrive before anything of the first step.
    void add_replica_sets(Input& out) {
        if (out.steps.empty() && !said_.replica_set.empty()) out.steps.emplace_back();
        const auto& tables = items_of(tree_, "replica_set");
        for (std::size_t i = said_.replica_set.size(); i-- > 0;) {
            std::vector<Action>& first = out.steps.front().actions;
            first.insert(first.begin(),
                         {.what = make_batch(said_.replica_set[i].pods, tables[i], diagnostics_),
                          .place = tables[i].place});
        }
    }

    Step step(std::size_t index) {
        const keys::Step& said = said_.step[index];
        const SettingValue& table = items_of(tree_, "step")[index];
        Step out{.actions = actions(said, table),
                 .advance = said.advance,
                 .expect = {.commands = said.expect,
                            .pending = said.expect_pending,
                            .nodes = said.expect_nodes,
                            .targets = said.expect_targets,
                            .backed_off = said.expect_backed_off,
                            .unhelped = said.expect_unhelped},
                 .place = table.place};
        if (said.advance && said.until)
            diagnostics_.error(table.find("until")->place, "step: either 'advance' or 'until'");
        if (!said.advance && !said.until) out.advance = Duration(0);
        add_changes(root_.find("step")->children[index]);
        if (!out.advance || !now_) {
            now_.reset();
        } else {
            *now_ += *out.advance;
        }
        return out;
    }

    std::vector<Action> actions(const keys::Step& said, const SettingValue& table) {
        std::vector<Action> out;
        const auto& nodes = items_of(table, "nodes");
        for (std::size_t i = 0; i < said.nodes.size(); ++i) {
            for (auto& node : make_nodes(said.nodes[i], nodes[i], diagnostics_))
                out.push_back({.what = std::move(node), .place = nodes[i].place});
        }
        for (const SettingValue& item : items_of(table, "remove"))
            out.push_back({.what = Remove{item.text}, .place = item.place});
        for (const SettingValue& item : items_of(table, "scale")) {
            out.push_back(
                {.what = Scale{item.key, static_cast<int>(item.integer)}, .place = item.key_place});
        }
        const auto& pods = items_of(table, "pods");
        for (std::size_t i = 0; i < said.pods.size(); ++i) {
            out.push_back(
                {.what = make_batch(said.pods[i], pods[i], diagnostics_), .place = pods[i].place});
        }
        return out;
    }

    /// What changes in the cloud is told to it beforehand, so the moment has to be known.
    void add_changes(const TomlValue& step) {
        const TomlValue* changes = step.find("change");
        if (changes == nullptr) return;
        if (!now_) {
            diagnostics_.error(changes->key_place,
                               "step: no 'change' after a step until idle, for its time is not "
                               "known beforehand; use 'advance' there");
            return;
        }
        if (changes->kind != TomlValue::Kind::array) {
            diagnostics_.error(changes->place, "step.change: expected a list of tables");
            return;
        }
        for (const TomlValue& change : changes->children) changes_.push_back({change, *now_});
    }

    const TomlValue& root_;
    const SettingValue& tree_;
    keys::Scenario said_;
    Diagnostics& diagnostics_;
    std::optional<Duration> now_ = Duration(0);  ///< nothing: not known beforehand
    std::vector<GroupChange> changes_;
};

void check(const keys::Scenario& said, const TomlValue& root, Scenario& out) {
    const TomlValue* pipeline = root.find("pipeline");
    const TomlValue* clouds = pipeline == nullptr ? nullptr : pipeline->find("clouds");
    if (clouds != nullptr && out.input->cloud) {
        out.diagnostics.error(clouds->place,
                              "pipeline.clouds: [[group]] and 'change' are for the simulated "
                              "cloud, which stands in place of others");
    }
    if (said.config && out.has_sections) {
        out.diagnostics.error(root.find("config")->place,
                              "config: either a file or sections of one here");
    }
}

}  // namespace

Scenario read_scenario(const std::filesystem::path& file, const runtime::ShippedPlugins& shipped,
                       std::span<const std::string> overrides) {
    Result<runtime::Source> source = runtime::read_source(file);
    if (source) return read_scenario(*std::move(source), file.parent_path(), shipped, overrides);
    Scenario failed{.diagnostics = Diagnostics({file.string(), ""})};
    failed.diagnostics.error({}, source.error().message);
    return failed;
}

Scenario read_scenario(runtime::Source source, const std::filesystem::path& folder,
                       const runtime::ShippedPlugins& shipped,
                       std::span<const std::string> overrides) {
    Scenario out{.diagnostics = Diagnostics(std::move(source))};
    std::optional<TomlValue> root = runtime::parse_toml(out.diagnostics);
    if (!root) return out;
    if (const Result<void> done = runtime::override_values(*root, overrides); !done) {
        out.diagnostics.error({}, done.error().message);
        return out;
    }
    const SettingValue tree =
        runtime::validate_settings(*root, schema(), "", out.diagnostics, hint);
    const TomlValue own = sections_of(*root);
    out.has_sections = !own.children.empty();
    out.config = runtime::read_config(own, shipped, out.diagnostics);
    // What a schema refused has left its table, and the lists would not match any more.
    if (out.diagnostics.errors() > 0) return out;
    Reader reader(*root, tree, out.diagnostics);
    out.input = reader.input();
    out.input->cloud = make_cloud(*root, reader.changes(), out.diagnostics);
    out.has_scan_interval = reader.said().scan_interval.has_value();
    if (reader.said().config) out.config_file = folder / *reader.said().config;
    check(reader.said(), *root, out);
    return out;
}

}  // namespace capstan::simulation
