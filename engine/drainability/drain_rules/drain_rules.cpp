#include "engine/drainability/drain_rules/drain_rules.hpp"

#include <algorithm>
#include <array>

#include <capstan/well_known.hpp>

namespace capstan::engine::drainability {
namespace {

constexpr std::array table{
    DrainRule{.name = "expendable",
              .sentence = "a pod with a priority below the cutoff is ignored",
              .judge = judge_expendable},
    DrainRule{.name = "job",
              .sentence = "a Job's pod blocks removal until it ends, if Job pods are unmovable",
              .judge = judge_job},
    DrainRule{.name = "mirror",
              .sentence = "static pods are removed with the node",
              .judge = judge_mirror},
    DrainRule{.name = "long_terminating",
              .sentence = "a pod that should have ended 30s ago is ignored",
              .judge = judge_long_terminating},
    DrainRule{
        .name = "replica_count",
        .sentence = "a pod blocks removal while its controller is missing or has few replicas",
        .judge = judge_replica_count},
    DrainRule{.name = "daemon_set",
              .sentence = "DaemonSet pods are removed with the node",
              .judge = judge_daemon_set},
    DrainRule{.name = "on_completion",
              .sentence = "a pod with safe-to-evict \"on-completion\" is waited for until it ends",
              .judge = judge_on_completion},
    DrainRule{.name = "several_pdbs",
              .sentence = "a pod in more than one budget blocks removal: it cannot be evicted",
              .judge = judge_several_pdbs},
    DrainRule{.name = "safe_to_evict",
              .sentence = "a pod with safe-to-evict \"true\" is moved",
              .judge = judge_safe_to_evict},
    DrainRule{.name = "replicated",
              .sentence = "a pod without a built-in controller blocks removal",
              .judge = judge_replicated},
    DrainRule{.name = "system",
              .sentence = "a kube-system pod without a budget blocks removal for its first hour",
              .judge = judge_system},
    DrainRule{.name = "not_safe_to_evict",
              .sentence = "a pod with safe-to-evict \"false\" blocks removal",
              .judge = judge_not_safe_to_evict},
    DrainRule{.name = "do_not_disrupt",
              .sentence = "a pod with karpenter.sh/do-not-disrupt blocks removal",
              .judge = judge_do_not_disrupt},
    DrainRule{.name = "local_storage",
              .sentence = "a pod with local storage blocks removal",
              .judge = judge_local_storage},
    DrainRule{.name = "pdb",
              .sentence = "a pod blocks removal while a budget allows no disruption",
              .judge = judge_pdb},
};

}  // namespace

std::span<const DrainRule> drain_rules() noexcept { return table; }

bool is_on(const DrainRule& rule, const Settings& settings) noexcept {
    const auto& off = settings.scale_down.drain_rules_off;
    return std::ranges::find(off, rule.name) == off.end();
}

DrainVerdict judge(PodIndex pod, const DrainContext& context) {
    return judge(context.cluster.pod(pod), context);
}

DrainVerdict judge(const snapshot::PodRow& pod, const DrainContext& context) {
    const snapshot::PodGroupRow& row = context.cluster.equivalence_group(pod.equivalence_group);
    for (const DrainRule& rule : table) {
        if (!is_on(rule, context.settings)) continue;
        if (auto verdict = rule.judge(pod, row, context)) {
            verdict->rule = rule.name;
            return *std::move(verdict);
        }
    }
    return {};
}

std::string_view safe_to_evict(const snapshot::PodGroupRow& row,
                               const snapshot::Cluster& cluster) noexcept {
    const auto value =
        snapshot::find_label(cluster, row.annotations, well_known::safe_to_evict_annotation);
    return value ? cluster.text(*value) : std::string_view();
}

std::string pod_name(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                     const snapshot::Cluster& cluster) {
    std::string out = "pod ";
    out.append(cluster.text(row.ns)).append("/").append(cluster.text(pod.name));
    return out;
}

DrainVerdict block(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                   const DrainContext& context, std::string_view reason,
                   std::string_view sentence) {
    return {.drain = Drain::block,
            .reason = reason,
            .sentence = pod_name(pod, row, context.cluster).append(sentence)};
}

}  // namespace capstan::engine::drainability
