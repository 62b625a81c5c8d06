#include "simulation/live/live_warnings.hpp"

#include <algorithm>
#include <functional>

#include <capstan/sentence.hpp>

namespace capstan::simulation::live {
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
           "expect: only pods without a node and nodes are compared with a live cluster");
    remark(!input.faults.empty(), "fault: " + counted(std::ssize(input.faults), "fault") +
                                      " not played; the API server has its own at /capstan/faults");
    remark(any_step(input, [](const Step& s) { return s.until_command.has_value(); }),
           "until: a step until a command goes on when the cluster has come to rest");
    remark(!input.scheduler, "scheduler: pods get nodes from the scheduler all the same");
    remark(any_action<PodBatch>(input, [](const PodBatch& b) { return b.packed; }),
           "packed: pods wait for the scheduler");
    remark(any_action<PodBatch>(input, [](const PodBatch& b) { return b.stop_time > Duration(0); }),
           "stop_time: pods take a tenth of their grace to stop");
    remark(any_registration(input, [](const Registration& r) { return r.taints.has_value(); }),
           "join_taints: nodes join without");
    remark(
        any_registration(input, [](const Registration& r) { return r.missing_labels.has_value(); }),
        "join_missing_labels: nodes join with them");
    remark(any_registration(input,
                            [](const Registration& r) {
                                return r.late_resources || r.late_labels || r.late_taints;
                            }),
           "late_resources, late_labels, late_taints: nodes join with all they will have");
    remark(
        any_registration(input, [](const Registration& r) { return r.provider_ids.has_value(); }),
        "provider_ids: nodes join with them");
    remark(any_registration(input, [](const Registration& r) { return r.nodes_stay.has_value(); }),
           "nodes_stay: nodes go with their machines");
    remark(any_registration(input, [](const Registration& r) { return r.ready_delay.has_value(); }),
           "ready_delay: that of the file counts for all groups");
    remark(!input.cloud && names_clouds,
           "pipeline.clouds: a cloud that is not simulated brings its own nodes");
    return out;
}

}  // namespace capstan::simulation::live
