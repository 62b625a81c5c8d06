#include "simulator/scenario_events.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <capstan/sentence.hpp>

#include "config/text.hpp"
#include "simulator/commands.hpp"
#include "simulator/faults.hpp"
#include "simulator/scenario_objects.hpp"

namespace capstan::simulator {
namespace {

using config::Diagnostics;
using config::SettingValue;

bool is_command(std::string_view text) {
    return std::ranges::any_of(names_of(keys::Command{}), [&](std::string_view word) {
        return text == word || text.starts_with(std::string(word) + " ");
    });
}

/// The group that a command names; empty: it names none.
std::string_view group_in(std::string_view command) {
    const std::size_t first = command.find(' ');
    if (first == std::string_view::npos) return {};
    const std::string_view verb = command.substr(0, first);
    if (verb == "remove") {
        const std::size_t from = command.rfind(" from ");
        return from == std::string_view::npos ? std::string_view() : command.substr(from + 6);
    }
    if (verb == "evict") return {};
    command.remove_prefix(first + 1);
    return command.substr(0, command.find(' '));
}

/// Reports names in expectations that no group or batch of the scenario has.
class NameCheck {
public:
    NameCheck(const ScenarioNames& names, Diagnostics& diagnostics)
        : names_(names), diagnostics_(diagnostics) {}

    void command(std::string_view key, const SettingValue& written) {
        if (!is_command(written.text)) {
            diagnostics_.error(written.place,
                               std::string(key) + ": " + in_quotes(written.text) +
                                   " is not a command; example: \"increase web by 2\"");
            return;
        }
        const std::string_view named = group_in(written.text);
        if (!named.empty()) group(key, named, written.place);
    }

    /// `id` may be a pattern.
    void group(std::string_view key, std::string_view id, config::Place place) {
        if (names_.groups) find("group", *names_.groups, key, id, place);
    }

    /// "web: SENTENCE", "web in spot: SENTENCE".
    void saying(std::string_view key, const SettingValue& written) {
        const std::string_view subject =
            std::string_view(written.text).substr(0, written.text.find(": "));
        if (subject.size() == written.text.size()) {
            diagnostics_.error(written.place,
                               std::string(key) + ": " + in_quotes(written.text) +
                                   ": expects \"BATCH: SENTENCE\" or \"BATCH in GROUP: SENTENCE\"");
            return;
        }
        const std::size_t in = subject.find(" in ");
        find("batch", names_.batches, key, subject.substr(0, in), written.place);
        if (in != std::string_view::npos) group(key, subject.substr(in + 4), written.place);
    }

private:
    void find(std::string_view noun, const std::set<std::string, std::less<>>& all,
              std::string_view key, std::string_view name, config::Place place) {
        const bool is_known = std::ranges::any_of(
            all, [&](const std::string& one) { return matches_pattern(one, name); });
        if (is_known) return;
        std::string help = config::suggestion(name, {all.begin(), all.end()});
        if (help.empty() && !all.empty())
            help = "; known: " + listed(all, [](const std::string& one) { return one; });
        diagnostics_.error(place, std::string(key) + ": unknown " + std::string(noun) + " " +
                                      in_quotes(name) + help);
    }

    const ScenarioNames& names_;
    Diagnostics& diagnostics_;
};

}  // namespace

void check_expectations(const SettingValue& step, const ScenarioNames& names,
                        Diagnostics& diagnostics) {
    NameCheck check(names, diagnostics);
    const auto for_each = [&](std::initializer_list<std::string_view> lists, auto visit) {
        for (const std::string_view key : lists) {
            const SettingValue* const list = step.find(key);
            if (list == nullptr) continue;
            for (const SettingValue& item : list->children) visit(key, item);
        }
    };
    for_each({"expect", "expect_never"},
             [&](std::string_view key, const SettingValue& item) { check.command(key, item); });
    for_each({"expect_within"}, [&](std::string_view key, const SettingValue& item) {
        if (const SettingValue* command = item.find("command")) check.command(key, *command);
    });
    for_each({"expect_nodes", "expect_targets"},
             [&](std::string_view key, const SettingValue& item) {
                 check.group(key, item.key, item.key_place);
             });
    for_each({"expect_backed_off", "expect_not_backed_off"},
             [&](std::string_view key, const SettingValue& item) {
                 check.group(key, item.text, item.place);
             });
    for_each({"expect_unhelped"},
             [&](std::string_view key, const SettingValue& item) { check.saying(key, item); });
    const SettingValue* const until = step.find("until");
    if (until != nullptr && is_command(until->text)) check.command("until", *until);
}

Budget checked_budget(const Budget& budget, const SettingValue& table, Diagnostics& diagnostics) {
    if (budget.name.empty()) diagnostics.error(table.place, "budget: 'name' is missing");
    const SettingValue* const least = table.find("min_available");
    const SettingValue* const most = table.find("max_unavailable");
    if ((least == nullptr) == (most == nullptr))
        diagnostics.error(table.place, "budget: needs either 'min_available' or 'max_unavailable'");
    for (const SettingValue* const bound : {least, most}) {
        if (bound != nullptr && !find_share(bound->text))
            diagnostics.error(
                bound->place,
                "budget: '" + bound->key +
                    "' must be a number of pods or a percentage from \"0%\" to \"100%\", not " +
                    in_quotes(bound->text));
    }
    return budget;
}

SharedReplicas checked_balancer(const SharedReplicas& balancer, const SettingValue& table,
                                Diagnostics& diagnostics) {
    if (balancer.name.empty()) diagnostics.error(table.place, "balancer: 'name' is missing");
    if (balancer.targets.size() < 2)
        diagnostics.error(table.place, "balancer: 'targets' needs at least two batches");
    return balancer;
}

Fault checked_fault(const Fault& fault, const SettingValue& table, Diagnostics& diagnostics) {
    if (!fault.group.empty() && !is_about_group(fault.kind))
        diagnostics.error(table.place, "fault: this kind takes no 'group'");
    if (!fault.cloud.empty() && !is_about_cloud(fault.kind))
        diagnostics.error(table.place, "fault: this kind takes no 'cloud'");
    if (!fault.plugin.empty() && !is_about_plugin(fault.kind))
        diagnostics.error(table.place, "fault: this kind takes no 'plugin'");
    if (fault.lasts < Duration(0) && fault.kind != FaultKind::clock_jump)
        diagnostics.error(table.place, "fault: 'lasts' may be negative only for clock_jump");
    if (table.find("room") != nullptr && fault.kind != FaultKind::memory_limit)
        diagnostics.error(table.place, "fault: only memory_limit takes 'room'");
    const SettingValue* const draw = table.find("draw");
    if (draw != nullptr && !draw->text.empty() && !fault.draw)
        diagnostics.error(draw->place,
                          "fault: 'draw' must be a hexadecimal number such as \"8f3a0c12\", not " +
                              in_quotes(draw->text));
    return fault;
}

NodeEdit checked_node_edit(const NodeEdit& edit, const SettingValue& table,
                           Diagnostics& diagnostics) {
    if (edit.node.empty()) diagnostics.error(table.place, "edit: 'node' is missing");
    check_taints(table.find("taints"), diagnostics);
    return edit;
}

std::optional<UntilCommand> make_until(const keys::Step& step, const SettingValue& table,
                                       Diagnostics& diagnostics) {
    const bool until_command = step.until && *step.until != "idle";
    if (step.within && !until_command) {
        diagnostics.error(table.find("within")->place,
                          "step: 'within' needs 'until' with a command");
    }
    if (!until_command) return std::nullopt;
    UntilCommand out{.command = *step.until == "command" ? "" : *step.until};
    if (!out.command.empty() && !is_command(out.command)) {
        diagnostics.error(table.find("until")->place,
                          "step.until: expects \"idle\", \"command\", or a command such as "
                          "\"increase web by 2\"");
    }
    out.within = step.within.value_or(out.within);
    return out;
}

}  // namespace capstan::simulator
