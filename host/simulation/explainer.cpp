#include "simulation/explainer.hpp"

#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>

#include "engine/snapshot/spread_timeout.hpp"

namespace capstan::simulation {

std::optional<Explainer::Found> Explainer::find_pod(const engine::Cluster& cluster,
                                                    Time wall) const {
    for (engine::PodIndex i = 0; i < cluster.pod_count(); ++i) {
        const engine::PodRow pod = cluster.pod(i);
        if (cluster.text(pod.name) != question_.pod_name ||
            cluster.text(cluster.pod_class(pod.pod_class).ns) != question_.pod_ns)
            continue;
        const std::string node(cluster.text(pod.node_name));
        const engine::ClassId is_of = engine::class_at(cluster, pod, wall);
        return Found{node.empty() ? std::optional(is_of) : std::nullopt, node};
    }
    return std::nullopt;
}

void Explainer::on_pass(const runtime::PassInput& input, const runtime::PassResult&) {
    if (!question_.pod_name.empty()) return see_pod(input);
    if (!question_.node.empty()) return see_node(input);
    const auto pending = [](const runtime::PassInput& pass) {
        return pass.snapshot.cluster.unbound().size();
    };
    if (!fullest_ || pending(input) > pending(*fullest_)) fullest_ = input;
}

void Explainer::see_pod(const runtime::PassInput& input) {
    const std::optional<Found> found =
        find_pod(input.snapshot.cluster, input.circumstances.time().wall);
    if (!found) return;
    node_ = found->node;
    if (!found->waiting) return;
    last_ = Seen{input, *found->waiting};
    if (!first_) first_ = last_;
}

void Explainer::see_node(const runtime::PassInput& input) {
    if (input.snapshot.cluster.find_node(question_.node)) with_node_ = input;
}

void Explainer::on_end() {
    if (with_node_) {
        ask(*std::move(with_node_), {.node = question_.node});
    } else if (!question_.node.empty()) {
        result_ = fail(ErrorCode::not_found, "no pass saw a node " + in_quotes(question_.node));
    } else if (fullest_) {
        runtime::PassQuestion question;
        if (!question_.group.empty()) question.group = question_.group;
        ask(*std::move(fullest_), std::move(question));
    } else if (first_) {
        Seen& seen = node_.empty() ? *last_ : *first_;
        ask(std::move(seen.input), {.pod_class = seen.pod_class});
    } else if (!node_.empty()) {
        result_ = Explained{.settled = "has a node: " + node_};
    } else if (!question_.pod_name.empty()) {
        result_ = fail(ErrorCode::not_found,
                       "no pass saw a pod " + question_.pod_ns + "/" + question_.pod_name);
    }
}

void Explainer::ask(runtime::PassInput input, runtime::PassQuestion question) {
    const Time at = input.circumstances.now;
    auto answer = runtime::explain(std::move(input), std::move(question));
    if (answer) {
        result_ = Explained{.at = at, .answer = *std::move(answer)};
    } else {
        result_ = fail(answer.error());
    }
}

}  // namespace capstan::simulation
