#include "commands/explain_report.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>

#include "commands/table.hpp"
#include "config/text.hpp"
#include "engine/remedies.hpp"

namespace capstan::commands {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string ids_text(const std::vector<NodeGroupId>& ids) {
    std::string out;
    for (const NodeGroupId& id : ids) out += (out.empty() ? "" : ", ") + id.value();
    return out;
}

std::string fate_of(const engine::pass::PodAnswer& pod) {
    std::string out = counted(pod.pods.count, "pending pod") + " like this: ";
    out += std::to_string(pod.fit) + " fit on existing nodes, " + std::to_string(pod.schedulable) +
           " planned on new nodes";
    if (!pod.schedulable_on.empty()) {
        out += " (";
        for (const engine::pass::SchedulableOn& on : pod.schedulable_on)
            out += (&on == &pod.schedulable_on.front() ? "" : ", ") + std::to_string(on.pods) +
                   " on " + on.group.value();
        out += ")";
    }
    return out + ", " + std::to_string(pod.unschedulable) + " unschedulable";
}

std::string new_group_name(const engine::NewGroup& group) {
    const GroupPlan& plan = group.plan;
    if (plan.name.empty())
        return plan.machine_type.empty() ? "any" : "machine type " + plan.machine_type;
    const std::string& id = group.group.value();
    return id.empty() ? plan.name : id;
}

/// Groups that could be made: first the groups that were tried, then one line for each reason why
/// others were not.
void print_new_groups(std::ostream& out, const std::vector<engine::NewGroup>& groups) {
    Rows rows{{"COULD BE CREATED", "WHY"}};
    std::map<std::string, std::string> dropped;
    for (const engine::NewGroup& group : groups) {
        if (group.dropped.is_none()) {
            rows.push_back({new_group_name(group), group.because});
            continue;
        }
        std::string& names = dropped[group.dropped.sentence];
        names += (names.empty() ? "" : ", ") + new_group_name(group);
    }
    for (const auto& [because, names] : dropped) rows.push_back({names, "not tried: " + because});
    if (rows.size() > 1) print_table(out << '\n', rows, "  ");
}

std::string verdict_text(const std::string& refusal) { return refusal.empty() ? "fits" : refusal; }

/// The sentences of one answer. An unhealthy cluster is said once, before the answer, so the
/// sentences leave its numbers out.
class Sentences {
public:
    explicit Sentences(std::string unhealthy_because) : unhealthy_(std::move(unhealthy_because)) {}

    void print_health(std::ostream& out) const {
        if (unhealthy_.empty()) return;
        out << "cluster is unhealthy: " << unhealthy_ << '\n';
        out << "  remedy: "
            << engine::remedy_for({.code = engine::ReasonCode::cluster_unhealthy}, {}) << "\n\n";
    }
    std::string operator()(std::string sentence) const {
        const std::string numbers = ": " + unhealthy_;
        if (const std::size_t at = sentence.find(numbers);
            !unhealthy_.empty() && at != std::string::npos)
            sentence.erase(at, numbers.size());
        return sentence;
    }

private:
    std::string unhealthy_;
};

/// The reasons of the groups, without repeating one that `because` has.
void print_group_reasons(std::ostream& out, const engine::pass::PodAnswer& pod,
                         const Sentences& text) {
    const auto is_said = [&](const engine::Reason& reason) {
        return pod.because.find(reason.sentence) != std::string::npos;
    };
    const bool is_one = pod.groups.size() == 1 && pod.groups.front().groups.size() == 1;
    if (is_one && is_said(pod.groups.front().reason)) return;
    Rows rows{{"GROUPS", "WHY"}};
    for (const auto& [ids, reason] : pod.groups)
        rows.push_back({ids_text(ids), is_said(reason) ? "as above" : text(reason.sentence)});
    if (rows.size() > 1) print_table(out << '\n', rows, "  ");
}

void print_pod(std::ostream& out, const autoscaler::questions::Explained& explained) {
    const Sentences text(explained.answer.unhealthy_because);
    out << explained.subject << '\n';
    if (!explained.state.empty()) out << "  " << explained.state << '\n';
    if (!explained.answer.pod) return;
    const engine::pass::PodAnswer& pod = *explained.answer.pod;
    const bool counts = pod.skipped.is_none();
    if (counts) out << "  " << fate_of(pod) << '\n';
    if (!pod.because.empty()) out << "  " << text(pod.because) << '\n';
    if (!pod.remedy.empty()) out << "  remedy: " << pod.remedy << '\n';
    if (!counts) return;
    print_group_reasons(out, pod, text);
    print_new_groups(out, explained.answer.new_groups);
}

/// Prints the workload, and its pods as `print_pod` does.
void print_workload(std::ostream& out, const autoscaler::questions::Explained& explained) {
    out << explained.subject << '\n' << "  " << explained.state << '\n';
    if (!explained.remedy.empty()) out << "  remedy: " << explained.remedy << '\n';
    for (const autoscaler::questions::Explained& pod : explained.pods) print_pod(out << '\n', pod);
}

std::string comparison_text(const engine::templates::TemplateComparison& comparison) {
    if (!comparison.not_compared_because.empty())
        return "not compared: " + comparison.not_compared_because;
    const auto count = static_cast<std::int64_t>(comparison.fields.size());
    std::string out = "compared with node " + comparison.node + ": " +
                      std::to_string(comparison.differences()) + " of " + counted(count, "field") +
                      " differ";
    return comparison.remark.empty() ? out : out + "; " + comparison.remark;
}

void print_comparison(std::ostream& out, const engine::templates::TemplateComparison& comparison) {
    Rows rows{{"FIELD", "TEMPLATE", "NODE", ""}};
    for (const engine::templates::TemplateField& field : comparison.fields)
        rows.push_back({field.name, field.from_template.value_or("-"),
                        field.from_node.value_or("-"), field.mark});
    if (rows.size() > 1) print_table(out << '\n', rows, "  ");
}

void print_not_similar(std::ostream& out, const std::vector<engine::pass::NotSimilar>& all) {
    constexpr std::size_t most = 10;
    Rows rows{{"NOT SIMILAR", "WHY"}};
    for (std::size_t i = 0; i < std::min(all.size(), most); ++i)
        rows.push_back({ids_text(all[i].groups), all[i].because});
    if (all.size() > most)
        rows.push_back({std::to_string(all.size() - most) + " more reasons", "-o json lists all"});
    if (rows.size() > 1) print_table(out << '\n', rows, "  ");
}

void print_group(std::ostream& out, const engine::pass::GroupAnswer& group, const Sentences& text) {
    out << group.group << '\n';
    Rows rows{{"can grow", group.obstacle.empty() ? "yes" : "no: " + text(group.obstacle)},
              {"headroom", group.headroom ? counted(*group.headroom, "node") : "no max size"},
              {"node template", group.template_source},
              {"cloud's template", comparison_text(group.comparison)},
              {"upcoming", counted(group.upcoming.nodes(), "node")},
              {"this pass adds", counted(group.increase, "node")},
              {"similar groups", group.similar.empty() ? "none" : ids_text(group.similar)}};
    if (!group.remedy.empty()) rows.insert(rows.begin() + 1, {"remedy", group.remedy});
    if (!group.target_because.empty()) rows.push_back({"target", group.target_because});
    print_table(out, rows, "  ");
    Rows classes{{"PODS", "FIRST", "ON A NEW NODE"}};
    for (const engine::pass::PodGroupVerdict& verdict : group.pod_groups) {
        classes.push_back({std::to_string(verdict.pods.count), verdict.pods.example,
                           verdict_text(verdict.refusal)});
    }
    if (classes.size() > 1) print_table(out << '\n', classes, "  ");
    print_not_similar(out, group.not_similar);
    print_comparison(out, group.comparison);
}

/// "i-0a1b: running, m5.large, zone a, spot, 0.096 per hour".
std::string machine_text(const Machine& machine) {
    std::string out = machine.id.value() + ": " + std::string(name_of(machine.state));
    if (!machine.machine_type.empty()) out += ", " + machine.machine_type;
    if (!machine.zone.empty()) out += ", zone " + machine.zone;
    if (machine.spot) out += *machine.spot ? ", spot" : ", on demand";
    if (machine.price_per_hour)
        out += ", " + config::toml_number(*machine.price_per_hour) + " per hour";
    if (machine.error) out += ", " + machine.error->message;
    return out;
}

void add_machine(Rows& rows, const std::optional<engine::pass::NodeMachine>& of) {
    if (!of) return rows.push_back({"machine", "not listed by any cloud"});
    if (!of->machine) {
        return rows.push_back({"machine", "gone: " + of->cloud.value() +
                                              " lists all its machines, and this is not one"});
    }
    const Machine& machine = *of->machine;
    rows.push_back({"machine", machine_text(machine)});
    if (machine.leaves) {
        rows.push_back(
            {"leaves", of->leaves.empty() ? engine::leaving_text(*machine.leaves) : of->leaves});
    }
    if (of->has_drifted()) {
        rows.push_back(
            {"drifted", "created from template " + in_quotes(machine.template_fingerprint) +
                            "; new nodes of its group use " + in_quotes(of->group_fingerprint)});
    }
}

void print_node(std::ostream& out, const autoscaler::questions::Explained& explained,
                const engine::NodeVerdict& node, const Sentences& text) {
    const autoscaler::PassAnswer& answer = explained.answer;
    const Time at = explained.at;
    const std::string& state = explained.state.empty() ? answer.node_state : explained.state;
    out << node.node << (state.empty() ? "" : ": ") << state << '\n';
    Rows rows{
        {"group", node.group.empty() ? "none" : node.group.value()},
        {"used", node.utilization ? percent(*node.utilization) : "unknown"},
        {"unneeded",
         node.unneeded_since ? "for " + format_rough_duration(at - *node.unneeded_since) : "no"},
        {"removable", node.reason == engine::Unremovable::none
                          ? "yes"
                          : "no: " + std::string(engine::name_of(node.reason))},
        {"because", text(node.because)}};
    if (!answer.node_remedy.empty()) rows.push_back({"remedy", answer.node_remedy});
    add_machine(rows, answer.machine);
    print_table(out, rows, "  ");
}

/// Pods that are not in the matrix.
void print_skipped(std::ostream& out, const engine::pass::Matrix& matrix) {
    Rows rows{{"OTHER PODS", "NOT PENDING BECAUSE"}};
    for (const engine::SkippedPods& pods : matrix.skipped)
        if (pods.code != engine::ReasonCode::none)
            rows.push_back({std::to_string(pods.count), pods.because});
    if (rows.size() > 1) print_table(out << '\n', rows, "  ");
}

/// One line for each text with a remedy, below the pods.
void print_remedies(std::ostream& out, const engine::pass::Matrix& matrix) {
    std::vector<std::set<NodeGroupId>> groups(matrix.texts.size());
    for (std::size_t cell = 0; cell < matrix.cells.size(); ++cell)
        groups[matrix.cells[cell]].insert(matrix.groups[cell % matrix.groups.size()]);
    std::set<std::string> lines;
    for (std::size_t text = 0; text < matrix.texts.size(); ++text) {
        const std::vector<NodeGroupId> with_text(groups[text].begin(), groups[text].end());
        lines.insert(engine::remedy_for(matrix.reasons[text], with_text));
    }
    for (const engine::SkippedPods& pods : matrix.skipped)
        lines.insert(engine::remedy_for({.code = pods.code}, {}));
    lines.erase("");
    if (!lines.empty()) out << "\nREMEDIES\n";
    for (const std::string& line : lines) out << "  " << line << '\n';
}

/// A line for each group, with its size.
Rows wide_rows(const autoscaler::questions::Explained& explained,
               const engine::pass::Matrix& matrix, std::size_t pods, const Sentences& text) {
    Rows rows;
    for (std::size_t g = 0; g < matrix.groups.size(); ++g)
        rows.push_back({matrix.groups[g].value(),
                        g < explained.sizes.size() ? explained.sizes[g] : "",
                        verdict_text(text(matrix.at(pods, g)))});
    return rows;
}

void print_matrix(std::ostream& out, const autoscaler::questions::Explained& explained,
                  const engine::pass::Matrix& matrix, const Sentences& text, bool is_wide) {
    if (matrix.pod_groups.empty()) out << "no pending pods\n";
    if (matrix.groups.empty()) out << "no node group exists\n";
    for (std::size_t c = 0; c < matrix.pod_groups.size(); ++c) {
        out << matrix.pod_groups[c].example << " (" << counted(matrix.pod_groups[c].count, "pod")
            << ")";
        if (is_wide && c < explained.requests.size()) out << ": " << explained.requests[c];
        out << '\n';
        if (is_wide) {
            print_table(out, wide_rows(explained, matrix, c, text), "  ");
            continue;
        }
        // Groups with the same verdict share a line.
        std::map<std::string, std::vector<NodeGroupId>> groups_by_text;
        for (std::size_t g = 0; g < matrix.groups.size(); ++g)
            groups_by_text[matrix.at(c, g)].push_back(matrix.groups[g]);
        Rows rows;
        for (const auto& [refusal, groups] : groups_by_text)
            rows.push_back({ids_text(groups), verdict_text(text(refusal))});
        print_table(out, rows, "  ");
    }
    print_skipped(out, matrix);
    print_remedies(out, matrix);
}

namespace json = boost::json;

json::array ids_json(const std::vector<NodeGroupId>& ids) {
    json::array out;
    for (const NodeGroupId& id : ids) out.emplace_back(id.value());
    return out;
}

json::array new_groups_json(const std::vector<engine::NewGroup>& groups) {
    json::array out;
    for (const engine::NewGroup& group : groups) {
        out.push_back(json::object{{"group", group.group.value()},
                                   {"machine_type", group.plan.machine_type},
                                   {"zone", group.plan.zone},
                                   {"spot", group.plan.spot},
                                   {"because", group.because},
                                   {"not_tried_because", group.dropped.sentence}});
    }
    return out;
}

json::object pods_json(const engine::PodCount& pods) {
    return {{"example", pods.example}, {"count", pods.count}};
}

json::object pod_json(const autoscaler::questions::Explained& explained) {
    json::object out{{"pod", explained.subject}};
    if (!explained.state.empty()) out["state"] = explained.state;
    if (!explained.answer.pod) return out;
    const engine::pass::PodAnswer& pod = *explained.answer.pod;
    json::array schedulable_on, groups;
    for (const engine::pass::SchedulableOn& on : pod.schedulable_on)
        schedulable_on.push_back(json::object{{"group", on.group.value()}, {"pods", on.pods}});
    for (const auto& [ids, reason] : pod.groups)
        groups.push_back(json::object{{"groups", ids_json(ids)},
                                      {"because", reason.sentence},
                                      {"code", name_of(reason.code)},
                                      {"subject", to_string(reason.subject)},
                                      {"remedy", engine::remedy_for(reason, ids)}});
    out["pending"] = pod.pods.count;
    out["fit"] = pod.fit;
    out["schedulable"] = pod.schedulable;
    out["unschedulable"] = pod.unschedulable;
    out["schedulable_on"] = std::move(schedulable_on);
    out["because"] = pod.because;
    if (!pod.skipped.is_none()) out["skipped"] = name_of(pod.skipped.code);
    out["remedy"] = pod.remedy;
    out["groups"] = std::move(groups);
    if (!explained.answer.new_groups.empty())
        out["new_groups"] = new_groups_json(explained.answer.new_groups);
    return out;
}

json::object workload_json(const autoscaler::questions::Explained& explained) {
    json::array pods;
    for (const autoscaler::questions::Explained& pod : explained.pods)
        pods.push_back(pod_json(pod));
    return {{"workload", explained.subject},
            {"state", explained.state},
            {"remedy", explained.remedy},
            {"pods", std::move(pods)}};
}

json::value text_unless_empty(const std::string& text) {
    return text.empty() ? json::value(nullptr) : json::value(text);
}

json::object comparison_json(const engine::templates::TemplateComparison& comparison) {
    json::array fields;
    for (const engine::templates::TemplateField& field : comparison.fields)
        fields.push_back(json::object{{"field", field.name},
                                      {"template", json::value_from(field.from_template)},
                                      {"node", json::value_from(field.from_node)},
                                      {"same", field.is_same()},
                                      {"mark", field.mark}});
    return {{"node", text_unless_empty(comparison.node)},
            {"not_compared_because", text_unless_empty(comparison.not_compared_because)},
            {"remark", text_unless_empty(comparison.remark)},
            {"fields", std::move(fields)}};
}

json::object group_json(const engine::pass::GroupAnswer& group) {
    json::array classes;
    for (const engine::pass::PodGroupVerdict& verdict : group.pod_groups) {
        json::object row = pods_json(verdict.pods);
        row["fits"] = verdict.refusal.empty();
        row["because"] = verdict.refusal;
        classes.push_back(std::move(row));
    }
    json::array not_similar;
    for (const engine::pass::NotSimilar& groups : group.not_similar)
        not_similar.push_back(
            json::object{{"groups", ids_json(groups.groups)}, {"because", groups.because}});
    return {{"group", group.group.value()},
            {"can_grow", group.obstacle.empty()},
            {"obstacle", group.obstacle},
            {"remedy", group.remedy},
            {"target_because", group.target_because},
            {"headroom", json::value_from(group.headroom)},
            {"template", group.template_source},
            {"upcoming", group.upcoming.nodes()},
            {"increase", group.increase},
            {"similar", ids_json(group.similar)},
            {"not_similar", std::move(not_similar)},
            {"comparison", comparison_json(group.comparison)},
            {"pods", std::move(classes)}};
}

json::value machine_json(const std::optional<engine::pass::NodeMachine>& of) {
    if (!of) return nullptr;
    if (!of->machine) return json::object{{"cloud", of->cloud.value()}, {"state", "gone"}};
    const Machine& machine = *of->machine;
    json::object out{{"cloud", of->cloud.value()},
                     {"id", machine.id.value()},
                     {"state", name_of(machine.state)},
                     {"type", machine.machine_type},
                     {"zone", machine.zone},
                     {"template_fingerprint", machine.template_fingerprint},
                     {"drifted", of->has_drifted()},
                     {"error", machine.error ? machine.error->message : ""},
                     {"spot", json::value_from(machine.spot)},
                     {"price_per_hour", json::value_from(machine.price_per_hour)}};
    if (machine.leaves) {
        json::object leaves{{"reason", name_of(machine.leaves->reason)}};
        leaves["at"] = machine.leaves->at ? json::value(format_rfc3339(*machine.leaves->at))
                                          : json::value(nullptr);
        out["leaves"] = std::move(leaves);
    }
    return out;
}

json::object node_json(const autoscaler::questions::Explained& explained,
                       const engine::NodeVerdict& node) {
    const autoscaler::PassAnswer& answer = explained.answer;
    const std::string& gone = explained.state;
    return {{"node", node.node},
            {"state", gone.empty() ? answer.node_state : gone},
            {"group", node.group.value()},
            {"removable", node.reason == engine::Unremovable::none},
            {"reason", engine::name_of(node.reason)},
            {"pod", node.pod},
            {"because", node.because},
            {"remedy", answer.node_remedy},
            {"utilization", json::value_from(node.utilization)},
            {"unneeded_for", node.unneeded_since ? json::value(format_rough_duration(
                                                       explained.at - *node.unneeded_since))
                                                 : nullptr},
            {"machine", machine_json(answer.machine)}};
}

json::object matrix_json(const engine::pass::Matrix& matrix) {
    json::array rows;
    for (std::size_t c = 0; c < matrix.pod_groups.size(); ++c) {
        json::object row = pods_json(matrix.pod_groups[c]);
        json::array cells;
        for (std::size_t g = 0; g < matrix.groups.size(); ++g)
            cells.emplace_back(matrix.cells[c * matrix.groups.size() + g]);
        row["cells"] = std::move(cells);
        rows.push_back(std::move(row));
    }
    json::array skipped;
    for (const engine::SkippedPods& pods : matrix.skipped)
        if (pods.code != engine::ReasonCode::none)
            skipped.push_back(
                json::object{{"count", pods.count},
                             {"because", pods.because},
                             {"code", name_of(pods.code)},
                             {"remedy", engine::remedy_for({.code = pods.code}, {})}});
    return {{"groups", ids_json(matrix.groups)},
            {"texts", json::value_from(matrix.texts)},
            {"pods", std::move(rows)},
            {"skipped", std::move(skipped)}};
}

}  // namespace

void print_explained(std::ostream& out, const autoscaler::questions::Explained& explained,
                     bool is_wide) {
    const autoscaler::PassAnswer& answer =
        explained.pods.empty() ? explained.answer : explained.pods.front().answer;
    const Sentences text(answer.unhealthy_because);
    text.print_health(out);
    if (answer.group) return print_group(out, *answer.group, text);
    if (answer.node) return print_node(out, explained, *answer.node, text);
    if (answer.matrix) return print_matrix(out, explained, *answer.matrix, text, is_wide);
    if (explained.is_workload) return print_workload(out, explained);
    print_pod(out, explained);
}

json::object explained_json(const autoscaler::questions::Explained& explained) {
    const autoscaler::PassAnswer& answer = explained.answer;
    json::object out = answer.group            ? group_json(*answer.group)
                       : answer.node           ? node_json(explained, *answer.node)
                       : answer.matrix         ? matrix_json(*answer.matrix)
                       : explained.is_workload ? workload_json(explained)
                                               : pod_json(explained);
    const std::string& unhealthy =
        (explained.pods.empty() ? answer : explained.pods.front().answer).unhealthy_because;
    if (!unhealthy.empty()) out["unhealthy"] = unhealthy;
    return out;
}

}  // namespace capstan::commands
