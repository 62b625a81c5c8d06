#include "simulation/dump/dump.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <capstan/sentence.hpp>

#include "kubernetes/object_decode.hpp"
#include "simulation/dump/dump_facts.hpp"
#include "simulation/dump/group_guess.hpp"
#include "simulation/simulated_clouds.hpp"

namespace capstan::simulation::dump {
namespace {

/// When the clock starts: never before the youngest object, so no object is from the future. A
/// deletionTimestamp is when a pod will be gone, so it is no sign of the present.
Time start_of(const Objects& objects, std::optional<Time> taken_at) {
    Time latest{};
    for (const engine::snapshot::NodeObject& node : objects.nodes)
        latest = std::max({latest, node.created, node.ready_since});
    for (const engine::snapshot::PodObject& pod : objects.pods)
        latest = std::max(latest, pod.created);
    return taken_at ? std::max(*taken_at, latest) : latest + std::chrono::minutes(1);
}

/// Gives the group's nodes the provider ids of the simulated cloud's machines, which are numbered.
void attach(std::vector<engine::snapshot::NodeObject>& nodes, const GuessedGroup& group) {
    for (std::size_t i = 0; i < group.nodes.size(); ++i)
        nodes[group.nodes[i]].provider_id = machine_id(group.id, i + 1);
}

Result<CloudSettings> guess_cloud(Objects& objects, const std::string& source,
                                  std::vector<std::string>& remarks) {
    std::vector<SimulatedGroup> groups;
    std::size_t members = 0;
    for (GuessedGroup& guessed : guess_groups(objects.nodes)) {
        attach(objects.nodes, guessed);
        members += guessed.nodes.size();
        groups.push_back({.id = std::move(guessed.id),
                          .size = static_cast<int>(guessed.nodes.size()),
                          .node = std::move(guessed.node)});
    }
    const std::size_t others = objects.nodes.size() - members;
    remarks.push_back(
        "guessed " + counted(groups.size(), "node group") + " from " + counted(members, "node") +
        (others == 0 ? ""
                     : "; " + std::to_string(others) +
                           (others == 1 ? " node is in no group" : " nodes are in no group")));
    return make_cloud_settings(source, groups);
}

void add_remarks(const kubernetes::DecodeReport& report, std::vector<std::string>& remarks) {
    for (const kubernetes::ObjectProblem& problem : report.problems)
        remarks.push_back(to_string(problem));
    if (report.more_problems > 0)
        remarks.push_back("... and " + std::to_string(report.more_problems) + " more problems");
    for (const auto& [kind, count] : report.ignored)
        if (kind != "Deployment" && kind != dump_header_kind)
            remarks.push_back("ignored " + counted(count, "object") + " of kind " + kind);
}

/// Adds one sentence about all absent kinds, with the command that dumps them.
void add_absent_kinds(const DumpFacts& facts, std::vector<std::string>& remarks) {
    const std::vector<std::string> absent = find_absent_kinds(facts);
    if (absent.empty()) return;
    std::string names;
    for (const std::string& name : absent) names += (names.empty() ? "" : ", ") + name;
    remarks.push_back(
        "no " + names +
        " in this dump; if the cluster has any, decisions may differ; to dump all kinds, use "
        "capstan dump or " +
        dump_command());
}

/// Fails without nodes or pods: a list of one kind alone would look like an empty cluster.
Result<void> check_whole(const Objects& objects, const std::string& source) {
    if (!objects.nodes.empty() && !objects.pods.empty()) return {};
    const std::string what = !objects.nodes.empty()  ? "no pods"
                             : !objects.pods.empty() ? "no nodes"
                                                     : "neither nodes nor pods";
    return fail(
        ErrorCode::invalid_argument,
        source + ": has " + what + "; to dump all kinds, use capstan dump or " + dump_command());
}

}  // namespace

Result<Dump> read_dump(const std::filesystem::path& file, DumpGroups groups) {
    CollectedObjects collected;
    DumpFacts facts;
    CAPSTAN_TRY(
        const kubernetes::DecodeReport report,
        kubernetes::decode_file(file, collected, [&](std::string_view kind, const auto& object) {
            facts.add(kind, object);
        }));
    if (report.cut_short) return fail(*report.cut_short);
    Dump out{.input = {.title = "cluster of " + file.filename().string(), .source = file.string()}};
    add_remarks(report, out.remarks);
    Objects& objects = out.input.objects;
    objects = std::move(collected).take();
    CAPSTAN_CHECK(check_whole(objects, file.string()));
    out.remarks.insert(out.remarks.end(), facts.problems().begin(), facts.problems().end());
    add_absent_kinds(facts, out.remarks);
    out.input.start = start_of(objects, facts.taken_at());
    out.input.budgets = facts.take_budgets();
    std::move(facts).add_to(objects);
    if (groups == DumpGroups::guessed) {
        CAPSTAN_TRY(CloudSettings cloud, guess_cloud(objects, file.string(), out.remarks));
        out.input.clouds.push_back(std::move(cloud));
    }
    out.input.steps.emplace_back();
    return out;
}

namespace {

auto values_of(auto&& by_name) {
    std::vector<typename std::decay_t<decltype(by_name)>::mapped_type> out;
    out.reserve(by_name.size());
    for (auto& [name, object] : by_name) out.push_back(std::move(object));
    return out;
}

}  // namespace

Objects CollectedObjects::take() && {
    return {.nodes = values_of(std::move(nodes_)),
            .pods = values_of(std::move(pods_)),
            .daemon_sets = values_of(std::move(daemon_sets_)),
            .controllers = values_of(std::move(controllers_)),
            .claims = values_of(std::move(claims_)),
            .volumes = values_of(std::move(volumes_)),
            .storage_classes = values_of(std::move(storage_classes_)),
            .csi_nodes = values_of(std::move(csi_nodes_)),
            .csi_drivers = values_of(std::move(csi_drivers_)),
            .csi_capacities = values_of(std::move(csi_capacities_)),
            .namespaces = values_of(std::move(namespaces_)),
            .services = values_of(std::move(services_))};
}

}  // namespace capstan::simulation::dump
