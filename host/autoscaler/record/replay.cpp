#include "autoscaler/record/replay.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <boost/json.hpp>

#include "autoscaler/record/json_reader.hpp"

namespace capstan::autoscaler::record {
namespace {

namespace json = boost::json;

/// A tree as a map from the path of each value to its text.
using Path = std::vector<std::string>;
using Lines = std::map<Path, std::string>;

std::string json_text(const json::value& value) {
    if (const json::string* text = value.if_string()) return {text->data(), text->size()};
    return json::serialize(value);
}

/// The name of a list's item: its first text that is not a reason, possibly within a list.
std::optional<std::string> find_name(const json::value& item) {
    if (const json::array* array = item.if_array(); array != nullptr && !array->empty())
        return array->front().is_string() ? std::optional(json_text(array->front()))
                                          : find_name(array->front());
    const json::object* object = item.if_object();
    if (object == nullptr) return std::nullopt;
    for (const auto& member : *object) {
        if (member.key() == "because" || member.key() == "sentence") continue;
        if (member.value().is_string()) return json_text(member.value());
        if (auto name = find_name(member.value())) return name;
    }
    return std::nullopt;
}

bool has_parts(const json::value& item) { return item.is_object() || item.is_array(); }

class Flattener {
public:
    void add(const Path& path, const json::value& value) {
        const json::object* object = value.if_object();
        const json::array* array = value.if_array();
        if (object != nullptr && !object->empty()) {
            for (const auto& [key, member] : *object) add(below(path, std::string(key)), member);
        } else if (array != nullptr && std::ranges::any_of(*array, has_parts)) {
            for (std::size_t i = 0; i < array->size(); ++i) {
                const json::value& item = (*array)[i];
                add(unique(below(path, find_name(item).value_or(std::to_string(i)))), item);
            }
        } else {
            lines_.emplace(path, json_text(value));
        }
    }
    Lines take() { return std::move(lines_); }

private:
    static Path below(Path path, std::string key) {
        path.push_back(std::move(key));
        return path;
    }
    Path unique(const Path& path) {
        Path out = path;
        for (int i = 2; !seen_.insert(out).second; ++i)
            out.back() = path.back() + "#" + std::to_string(i);
        return out;
    }

    Lines lines_;
    std::set<Path> seen_;
};

Lines lines_of(const engine::pass::Outcome& outcome) {
    JsonText text;
    write_json(text, outcome);
    Flattener lines;
    // The text has just been written, so it is valid JSON.
    lines.add({}, parse_json(text.take(), "outcome").value());
    return lines.take();
}

std::optional<std::string> find_line(const Lines& lines, const Path& path) {
    const auto at = lines.find(path);
    return at == lines.end() ? std::nullopt : std::optional(at->second);
}

std::string describe_plugin(const PluginRecord& plugin) {
    return plugin.plugin + " " + plugin.version + " (sha256 " + plugin.sha256.substr(0, 12) + ")";
}

}  // namespace

Result<PassInput> make_pass_input(const PassRecord& record, const engine::Settings& settings,
                                  Wiring wiring) {
    CAPSTAN_TRY(engine::snapshot::Cluster cluster,
                make_cluster(record.cluster,
                             {.spread_timeout_annotation = settings.spread_timeout_annotation}));
    return PassInput{
        .snapshot = {std::move(cluster),
                     std::make_shared<const std::vector<engine::Group>>(record.groups),
                     std::make_shared<const std::vector<engine::CloudMachines>>(record.machines),
                     record.unread},
        .memory = record.memory,
        .settings = settings,
        .wiring = std::move(wiring),
        .clouds = {},
        .call_context = record.call_context,
        .skipped_hooks = record.skipped_hooks,
        .expander_answers = record.expander_answers,
        .notes = record.notes,
        .candidate_groups = record.candidate_groups};
}

std::string text_of_path(const std::vector<std::string>& path) {
    std::string out;
    for (const std::string& name : path) out += (out.empty() ? "" : "/") + name;
    return out;
}

std::vector<Difference> find_differences(const engine::pass::Outcome& recorded,
                                         const engine::pass::Outcome& now) {
    const Lines before = lines_of(recorded);
    const Lines after = lines_of(now);
    std::set<Path> paths;
    for (const auto& [path, value] : before) paths.insert(path);
    for (const auto& [path, value] : after) paths.insert(path);
    std::vector<Difference> out;
    for (const Path& path : paths) {
        Difference line{path, find_line(before, path), find_line(after, path)};
        if (line.recorded != line.now) out.push_back(std::move(line));
    }
    return out;
}

std::vector<std::string> plugin_changes(const std::vector<PluginRecord>& recorded,
                                        const PluginSet& now) {
    std::vector<std::string> out;
    for (const LoadedPlugin& plugin : now) {
        const PluginRecord here = make_plugin_record(plugin);
        const auto was = std::ranges::find(recorded, here.id, &PluginRecord::id);
        if (was == recorded.end()) {
            out.push_back("plugin " + here.id + " was not part of the recorded pass");
        } else if (*was != here) {
            out.push_back("plugin " + here.id + " was " + describe_plugin(*was) + ", is " +
                          describe_plugin(here));
        }
    }
    return out;
}

}  // namespace capstan::autoscaler::record
