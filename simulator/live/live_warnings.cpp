#include "simulator/live/live_warnings.hpp"

#include <algorithm>
#include <functional>

#include <capstan/sentence.hpp>

namespace capstan::simulator::live {
namespace {

bool any_step(const Input& input, const std::function<bool(const Step&)>& is_so) {
    return std::ranges::any_of(input.steps, is_so);
}

template <class What>
bool any_action(const Input& input, const std::function<bool(const What&)>& is_so) {
    return any_step(input, [&](const Step& step) {
        return std::ranges::any_of(step.actions, [&](const Action& action) {
            const What* const what = std::get_if<What>(&action.what);
            return what != nullptr && is_so(*what);
        });
    });
}

bool any_registration(const Input& input, const std::function<bool(const Registration&)>& is_so) {
    return std::ranges::any_of(input.registrations, is_so) ||
           any_action<Registration>(input, is_so);
}

bool expects_commands(const Expectations& expect) {
    return expect.commands || !expect.within.empty() || !expect.never.empty() ||
           expect.longest_pending || !expect.targets.empty() || !expect.taints.empty() ||
           expect.backed_off || !expect.not_backed_off.empty() || expect.unschedulable;
}

}  // namespace

std::vector<std::string> find_live_warnings(const Input& input, bool names_clouds) {
    std::vector<std::string> out;
    const auto remark = [&](bool applies, std::string text) {
        if (applies) out.push_back(std::move(text));
    };
    remark(any_step(input, [](const Step& s) { return expects_commands(s.expect); }),
           "expect: only expect_pending, expect_nodes, expect_present and expect_absent are "
           "compared in a "
           "live cluster");
    remark(!input.faults.empty(),
           "fault: " + counted(std::ssize(input.faults), "fault") +
               " ignored; inject faults of the API server at /capstan/faults");
    remark(any_step(input, [](const Step& s) { return s.until_command.has_value(); }),
           "until: a step until a command ends when the cluster has stopped changing");
    remark(any_action<Reload>(input, [](const Reload&) { return true; }),
           "reload: ignored; change the configuration file of the daemon");
    remark(!input.scheduler, "scheduler: ignored; the scheduler binds pods");
    remark(input.scheduler_score != SchedulerScore::least_allocated,
           "scheduler_score: ignored; the scheduler prefers nodes with free resources");
    remark(any_action<PodBatch>(input, [](const PodBatch& b) { return !b.pod.owner.name.empty(); }),
           "owner: ignored; each batch has a controller of its own");
    remark(any_action<PodBatch>(input, [](const PodBatch& b) { return b.packed; }),
           "packed: ignored; the scheduler binds pods");
    remark(any_action<PodBatch>(input, [](const PodBatch& b) { return b.stop_time > Duration(0); }),
           "stop_time: ignored; pods stop after a tenth of their grace period");
    remark(any_registration(input, [](const Registration& r) { return r.taints.has_value(); }),
           "join_taints: ignored; nodes join without these taints");
    remark(
        any_registration(input, [](const Registration& r) { return r.missing_labels.has_value(); }),
        "join_missing_labels: ignored; nodes join with these labels");
    remark(any_registration(input,
                            [](const Registration& r) {
                                return r.late_resources || r.late_labels || r.late_taints;
                            }),
           "late_resources, late_labels, late_taints: ignored; nodes join complete");
    remark(
        any_registration(input, [](const Registration& r) { return r.provider_ids.has_value(); }),
        "provider_ids: ignored; nodes join with spec.providerID");
    remark(any_registration(input, [](const Registration& r) { return r.nodes_stay.has_value(); }),
           "nodes_stay: ignored; nodes are deleted with their machines");
    remark(any_registration(input, [](const Registration& r) { return r.ready_delay.has_value(); }),
           "ready_delay: ignored for single groups; the file's ready_delay applies to all");
    remark(std::ranges::any_of(
               input.objects.nodes,
               [](const engine::snapshot::NodeObject& n) { return !n.provider_id.empty(); }),
           "provider_id: ignored; nodes of no group have no spec.providerID");
    remark(input.clouds.empty() && names_clouds,
           "pipeline.clouds: nodes of a cloud that is not simulated must join by themselves");
    return out;
}

}  // namespace capstan::simulator::live
