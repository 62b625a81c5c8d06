#include "autoscaler/dump/dump.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>

#include "autoscaler/dump/dump_facts.hpp"
#include "autoscaler/dump/label_preset.hpp"
#include "autoscaler/dump/stand_ins.hpp"
#include "kubernetes/objects/object_decode.hpp"

namespace capstan::autoscaler::dump {
namespace {

/// The kinds that DumpFacts and the clock read, and no snapshot needs.
constexpr std::array<std::string_view, 6> kinds_of_facts{
    "Deployment", "ConfigMap", "Balancer", "Event", "Lease", dump_header_kind};

void add_remarks(const kubernetes::objects::DecodeReport& report,
                 std::vector<std::string>& remarks) {
    for (const kubernetes::objects::ObjectProblem& problem : report.problems)
        remarks.push_back(to_string(problem));
    if (report.more_problems > 0)
        remarks.push_back("... and " + std::to_string(report.more_problems) + " more problems");
    for (const auto& [kind, count] : report.ignored)
        if (std::ranges::count(kinds_of_facts, kind) == 0)
            remarks.push_back("ignored " + counted(count, "object") + " of kind " + kind);
}

/// Adds one short sentence about the absent kinds: a dump by kubectl lacks the kinds of which the
/// cluster has no object, too.
void add_absent_kinds(const DumpFacts& facts, std::vector<std::string>& remarks) {
    constexpr std::size_t named_max = 4;
    const std::vector<std::string> absent = find_absent_kinds(facts);
    if (absent.empty()) return;
    remarks.push_back("the dump has no " + listed(absent, std::identity{}, named_max) +
                      "; `capstan dump` takes all kinds");
}

void set_start(const std::optional<DumpMoment>& taken, Dump& out) {
    out.start = taken ? taken->at : Time{};
    if (!taken) return;
    out.start_because = taken->because;
    out.remarks.push_back("the dump was taken at " + format_rfc3339(taken->at, 0) + " (" +
                          taken->because + ")");
}

/// Replaces the clouds of the configuration by groups of the dump.
Result<void> add_stand_ins(const DumpFacts& facts, const config::Config& config, Dump& out) {
    const std::string text = facts.status(config.cluster.status_config_map_name);
    std::vector<StatusGroup> status;
    if (auto read = text.empty() ? Result<std::vector<StatusGroup>>({}) : parse_status(text)) {
        status = *std::move(read);
    } else {
        out.remarks.push_back("ConfigMap " + config.cluster.status_config_map_name +
                              " is ignored: " + read.error().message);
    }
    CAPSTAN_TRY(StandIns stand_ins,
                make_stand_ins(out.objects.nodes, status, config, out.source, out.start));
    out.clouds = std::move(stand_ins.clouds);
    out.memory = std::move(stand_ins.memory);
    out.provider_ids = std::move(stand_ins.provider_ids);
    for (std::string& remark : stand_ins.remarks) out.remarks.push_back(std::move(remark));
    return {};
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

Result<Dump> read_dump(const std::filesystem::path& file, const config::Config& config) {
    CollectedObjects collected;
    DumpFacts facts;
    CAPSTAN_TRY(const kubernetes::objects::DecodeReport report,
                kubernetes::objects::decode_file(
                    file, collected,
                    [&](std::string_view kind, const auto& object) { facts.add(kind, object); }));
    if (report.cut_short) return fail(*report.cut_short);
    Dump out{.title = "cluster of " + file.filename().string(), .source = file.string()};
    add_remarks(report, out.remarks);
    Objects& objects = out.objects;
    objects = std::move(collected).take();
    CAPSTAN_CHECK(check_whole(objects, file.string()));
    out.remarks.insert(out.remarks.end(), facts.problems().begin(), facts.problems().end());
    add_absent_kinds(facts, out.remarks);
    set_start(facts.taken_at(), out);
    out.label_preset = find_label_preset(objects.nodes);
    out.budgets = facts.take_budgets();
    facts.add_to(objects);
    if (needs_stand_ins(config)) CAPSTAN_CHECK(add_stand_ins(facts, config, out));
    out.plugin_objects = facts.take_plugin_objects();
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

}  // namespace capstan::autoscaler::dump
