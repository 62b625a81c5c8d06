/// Looks on while a simulation runs, and asks one of its passes a question.
#pragma once

#include <optional>
#include <string>

#include <capstan/ids.hpp>
#include <capstan/result.hpp>

#include "runtime/pass_cycle.hpp"
#include "simulation/run.hpp"

namespace capstan::simulation {

/// About one pod, one group, one node, or with none of these about all pending classes and all
/// groups.
struct Question {
    std::string pod_ns{}, pod_name{};
    NodeGroupId group{};
    std::string node{};
};

struct Explained {
    Time at{};  ///< of the pass that was asked
    runtime::PassAnswer answer{};
    /// Where a pod needs no pass: "has a node: n3". Then there is no answer.
    std::string settled{};
};

/// The pass that counts is, for a pod, the first that saw it without a node, and if it never gets
/// one the last; for a node the last that saw it; for other questions the one that saw the most
/// pods without a node, the first of those.
class Explainer final : public Observer {
public:
    explicit Explainer(Question question) : question_(std::move(question)) {}

    void on_pass(const runtime::PassInput& input, const runtime::PassResult& result) override;
    void on_end() override;

    /// Once the simulation has run. `not_found`: no pass ever saw such a pod, group or node.
    const Result<Explained>& result() const noexcept { return result_; }

private:
    struct Found {
        std::optional<engine::ClassId> waiting;  ///< its class, when it has no node
        std::string node;
    };
    std::optional<Found> find_pod(const engine::Cluster& cluster, Time wall) const;
    void see_pod(const runtime::PassInput& input);
    void see_node(const runtime::PassInput& input);
    void ask(runtime::PassInput input, runtime::PassQuestion question);

    /// A pass, and the class of the pod that it saw waiting.
    struct Seen {
        runtime::PassInput input;
        engine::ClassId pod_class = 0;
    };
    Question question_;
    std::optional<runtime::PassInput> fullest_;    ///< with the most pods without a node
    std::optional<Seen> first_, last_;             ///< that saw the pod waiting
    std::optional<runtime::PassInput> with_node_;  ///< the last that saw the node
    std::string node_;                             ///< of the pod, when it was last seen
    Result<Explained> result_ = fail(ErrorCode::not_found, "no pass was run");
};

}  // namespace capstan::simulation
