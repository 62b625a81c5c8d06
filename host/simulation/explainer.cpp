#include "simulation/explainer.hpp"

#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::simulation {

std::optional<Explainer::Found> Explainer::find_pod(const engine::Cluster& cluster) const {
    for (engine::PodIndex i = 0; i < cluster.pod_count(); ++i) {
        const engine::PodRow pod = cluster.pod(i);
        if (cluster.text(pod.name) != question_.pod_name ||
            cluster.text(cluster.pod_class(pod.pod_class).ns) != question_.pod_ns)
            continue;
        const std::string node(cluster.text(pod.node_name));
        return Found{node.empty() ? std::optional(pod.pod_class) : std::nullopt, node};
    }
    return std::nullopt;
}

void Explainer::on_pass(const runtime::PassInput& input, const runtime::PassResult&) {
    if (question_.pod_name.empty()) {
        const bool has_pending = !input.snapshot.cluster.unbound().empty();
        if (!has_pending && asked_had_pending_) return;
        asked_ = input;
        asked_had_pending_ = has_pending;
        return;
    }
    const std::optional<Found> found = find_pod(input.snapshot.cluster);
    if (!found) return;
    node_ = found->node;
    if (!found->waiting) return;
    asked_ = input;
    pod_class_ = found->waiting;
}

void Explainer::on_end() {
    if (!asked_) {
        if (question_.pod_name.empty()) return;
        if (!node_.empty()) {
            result_ = Explained{.settled = "has a node: " + node_};
            return;
        }
        result_ = fail(ErrorCode::not_found,
                       "no pass saw a pod " + question_.pod_ns + "/" + question_.pod_name);
        return;
    }
    const Time at = asked_->circumstances.now;
    runtime::PassQuestion question{.pod_class = pod_class_};
    if (!question_.group.empty()) question.group = question_.group;
    auto answer = runtime::explain(*std::move(asked_), std::move(question));
    if (answer) {
        result_ = Explained{.at = at, .answer = *std::move(answer)};
    } else {
        result_ = fail(answer.error());
    }
}

}  // namespace capstan::simulation
