#include "simulation/explainer.hpp"

#include <array>
#include <utility>

#include <capstan/sentence.hpp>

#include "engine/snapshot/spread_timeout.hpp"
#include "simulation/scheduler.hpp"

namespace capstan::simulation {

std::optional<Explainer::Found> Explainer::find_pod(const runtime::PassInput& input) const {
    const engine::Cluster& cluster = input.snapshot.cluster;
    for (engine::PodIndex i = 0; i < cluster.pod_count(); ++i) {
        const engine::PodRow pod = cluster.pod(i);
        if (cluster.text(pod.name) != question_.pod_name ||
            cluster.text(cluster.pod_class(pod.pod_class).ns) != question_.pod_ns)
            continue;
        const std::string node(cluster.text(pod.node_name));
        const engine::ClassId is_of =
            engine::class_at(cluster, pod, input.circumstances.time().wall);
        return Found{node.empty() ? std::optional(is_of) : std::nullopt, node};
    }
    return std::nullopt;
}

void Explainer::on_pass(const runtime::PassInput& input, const runtime::PassResult&) {
    if (asked_) return;
    if (question_.at && input.circumstances.now >= *question_.at) asked_ = input;
    if (!question_.pod_name.empty() && !first_) {
        const std::optional<Found> found = find_pod(input);
        if (found && found->waiting) first_ = Seen{input, *found->waiting};
    }
    if (!question_.node.empty() && input.snapshot.cluster.find_node(question_.node))
        with_node_ = input;
}

void Explainer::on_end() {
    if (!asked_) return;
    if (!question_.pod_name.empty()) return explain_pod();
    if (!question_.node.empty()) return explain_node();
    runtime::PassQuestion question;
    if (!question_.group.empty()) question.group = question_.group;
    ask(*asked_, std::move(question));
}

void Explainer::explain_pod() {
    const std::optional<Found> found = find_pod(*asked_);
    if (found && found->waiting) {
        return ask(*asked_, {.pod_class = found->waiting}, missed_by_scheduler(*found->waiting));
    }
    const std::string settled = found ? "has a node: " + found->node : "is gone";
    if (first_) {
        return ask(first_->input, {.pod_class = first_->pod_class},
                   settled + "; what follows is of when it first waited");
    }
    if (found) {
        result_ = Explained{.at = asked_->circumstances.now, .settled = settled};
    } else {
        result_ = fail(ErrorCode::not_found,
                       "no pass saw a pod " + question_.pod_ns + "/" + question_.pod_name);
    }
}

void Explainer::explain_node() {
    if (asked_->snapshot.cluster.find_node(question_.node)) {
        ask(*asked_, {.node = question_.node});
    } else if (with_node_) {
        ask(*with_node_, {.node = question_.node});
    } else {
        result_ = fail(ErrorCode::not_found, "no pass saw a node " + in_quotes(question_.node));
    }
}

std::string Explainer::missed_by_scheduler(engine::ClassId pod_class) const {
    if (!question_.unasked_scheduler) return {};
    const engine::Cluster cluster =
        engine::with_default_spread(asked_->snapshot.cluster, *question_.unasked_scheduler);
    const auto nodes = find_nodes(cluster, std::array{pod_class});
    if (!nodes.front()) return {};
    return "Pending in the dump; would fit " +
           std::string(cluster.text(cluster.node(*nodes.front()).name)) +
           " now: the scheduler has not put it there";
}

void Explainer::ask(const runtime::PassInput& input, runtime::PassQuestion question,
                    std::string settled) {
    auto answer = runtime::explain(input, std::move(question));
    if (answer) {
        result_ = Explained{.at = input.circumstances.now,
                            .answer = *std::move(answer),
                            .settled = std::move(settled)};
    } else {
        result_ = fail(answer.error());
    }
}

}  // namespace capstan::simulation
