/// Asks one pass for its reasons, and finds the objects that a question names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "autoscaler/pass_cycle.hpp"
#include "autoscaler/questions/question.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::autoscaler::questions {

/// Asks the first pass at or after the moment of the question; if there is none, what a pass would
/// see at the end. If a pod has a node or is gone by then, the first pass that saw the pod without
/// a node is asked. If a node has vanished by then, the last pass that saw the node is asked.
class Explainer {
public:
    explicit Explainer(Question question) : question_(std::move(question)) {}

    /// A pass that has decided. Passes come in the order of their times.
    void take_pass(const PassInput& input);
    /// Whether a pass is asked by now, so that no later one is.
    bool is_asked() const noexcept { return asked_.has_value(); }
    /// What a pass would see at the end, or the only pass there is.
    void take_last(const PassInput& input) { asked_ = input; }
    /// The node was deleted, `since_start` after the first moment.
    void note_deleted(std::string_view node, Duration since_start);
    /// Asks; to be called when all passes were taken, while the plugins can still be called.
    void finish();

    /// Call this after `finish`. `not_found`: no pass ever saw such a pod, group or node; the
    /// message says what may be meant.
    const Result<Explained>& result() const noexcept { return result_; }

private:
    struct Found {
        engine::PodIndex pod = 0;
        /// its pod equivalence group, if it has no node
        std::optional<engine::PodGroupId> waiting;
        std::string node;
    };
    const PassInput& asked() const {
        CAPSTAN_ASSERT(asked_, "a question is answered before a pass was seen");
        return *asked_;
    }
    static std::optional<Found> find_pod(const PassInput& input, const std::string& ns,
                                         const std::string& name);
    void remember_pods(const PassInput& input);
    Result<std::string> search_pod() const;
    Result<Explained> explain_pod(const std::string& name) const;
    Result<Explained> explain_waiting(engine::PodGroupId equivalence_group,
                                      engine::PodIndex pod) const;
    Result<Explained> explain_workload(const std::string& kind, const std::string& typed) const;
    /// The kind of the workload whose name is that of the question's pod, or begins with it; empty:
    /// there is no such workload.
    std::string find_owner_kind() const;
    Result<Explained> explain_node() const;
    Result<Explained> explain_group() const;
    Result<Explained> explain_matrix() const;
    /// Says which node the pods would fit; empty: none, or the scheduler has tried all pods.
    std::string missed_by_scheduler(engine::PodGroupId equivalence_group) const;

    /// A pass that saw a pod without a node, and the pod's equivalence group in that pass.
    struct Seen {
        PassInput input;
        engine::PodGroupId equivalence_group = 0;
    };
    Question question_;
    std::optional<PassInput> asked_;  ///< the pass that is asked about
    /// Pods of the namespace whose names begin as the question says, with the first pass that saw
    /// each without a node; absent: no pass did.
    std::map<std::string, std::optional<Seen>> first_;
    std::optional<PassInput> with_node_;       ///< the last pass that saw the node
    std::optional<Duration> node_deleted_at_;  ///< since the start
    Result<Explained> result_ = fail(ErrorCode::not_found, "no pass ran");
};

}  // namespace capstan::autoscaler::questions
