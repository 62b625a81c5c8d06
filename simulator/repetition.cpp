#include "simulator/repetition.hpp"

#include <algorithm>
#include <string_view>
#include <variant>

#include <capstan/duration.hpp>
#include <capstan/hash.hpp>
#include <capstan/sentence.hpp>

namespace capstan::simulator {
namespace {

/// Each command has to be given this often before it counts as repeated.
constexpr int times_min = 3;

/// The command without the names of machines; empty: it is an eviction.
///     remove web-1, web-2 from web  ->  remove 2 nodes of web
std::string without_names(const std::string& command) {
    if (command.starts_with("evict ")) return {};
    if (!command.starts_with("remove ")) return command;
    constexpr std::string_view from = " from ";
    const std::size_t at = command.rfind(from);
    if (at == std::string::npos) return command;
    const auto machines = std::count(command.begin(), command.begin() + static_cast<long>(at), ',');
    return "remove " + counted(machines + 1, "node") + " of " + command.substr(at + from.size());
}

Duration longest_of(const config::SettingValue& setting) {
    Duration out{0};
    const bool is_one = setting.shape == config::SettingValue::Shape::value;
    if (is_one && setting.type == SettingType::duration) out = Duration(setting.integer);
    for (const config::SettingValue& child : setting.children)
        out = std::max(out, longest_of(child));
    return out;
}

Duration longest_of(const Labels& annotations) {
    Duration out{0};
    for (const auto& [key, value] : annotations)
        out = std::max(out, parse_duration(value).value_or(Duration(0)));
    return out;
}

}  // namespace

void RepetitionWatch::observe(std::uint64_t state, const std::vector<std::string>& commands,
                              Time now) {
    Hash hash;
    hash.add(static_cast<std::int64_t>(state));
    std::vector<std::string> given;
    for (const std::string& command : commands) {
        std::string text = without_names(command);
        if (text.empty()) continue;
        hash.add(text);
        given.push_back(std::move(text));
    }
    if (given.empty()) return;
    if (known_.insert(hash.value()).second) {
        since_ = now;
        commands_.clear();
        return;
    }
    for (const std::string& text : given) ++commands_[text];
    const bool are_repeated = std::ranges::all_of(
        commands_, [](const auto& command) { return command.second >= times_min; });
    if (!found_ && are_repeated && since_ && now - *since_ >= settled_)
        found_ = {.since = *since_ - start_, .commands = commands_};
}

std::string commands_text(const Repetition& repetition) {
    std::string out;
    for (const auto& [command, times] : repetition.commands)
        out += (out.empty() ? "" : ", ") + command + " (" + counted(times, "time") + ")";
    return out;
}

Duration longest_timer(const config::Config& config, const autoscaler::PluginSet& plugins,
                       const Input& input) {
    Duration out{0};
    for (const char* section : {"scale_up", "scale_down"}) {
        const config::SettingValue* const settings = config.tree.find(section);
        if (settings != nullptr) out = std::max(out, longest_of(*settings));
    }
    for (const autoscaler::LoadedPlugin& plugin : plugins)
        out = std::max(out, longest_of(plugin.settings));
    for (const engine::snapshot::PodObject& pod : input.objects.pods)
        out = std::max(out, longest_of(pod.annotations));
    for (const Step& step : input.steps) {
        for (const Action& action : step.actions) {
            if (const auto* const batch = std::get_if<PodBatch>(&action.what))
                out = std::max(out, longest_of(batch->pod.annotations));
        }
    }
    return out;
}

}  // namespace capstan::simulator
