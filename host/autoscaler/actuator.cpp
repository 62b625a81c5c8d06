#include "autoscaler/actuator.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <capstan/assert.hpp>

#include "autoscaler/actions_under_way.hpp"
#include "autoscaler/cloud_actions.hpp"
#include "autoscaler/time_text.hpp"
#include "engine/node_marks.hpp"
#include "engine/removal/node_rechecks.hpp"
#include "plugin_runtime/instances/cloud_client.hpp"

namespace capstan::autoscaler {
namespace {

using engine::Results;

static_assert(plugin_runtime::instances::not_asked == engine::not_asked);

/// Longer than the deadlines of all calls add up to.
constexpr Duration change_patience = std::chrono::hours(1);

/// The request for a Decrease or an Increase.
template <class Change>
Resize resize_of(std::string_view kind, const Change& change,
                 const engine::CallContext& call_context) {
    CAPSTAN_ASSERT(change.by > 0, "a group is resized by no machines");
    return {.group = change.group,
            .delta = change.by,
            .expected_target = change.from,
            .idempotency_key = IdempotencyKey(kind, change.cloud, change.group, call_context)
                                   .with(change.from)
                                   .with(change.by)
                                   .text(),
            .listed_target = change.listed};
}

template <class T>
std::optional<Error> find_error(Result<T> result) {
    return result ? std::nullopt : std::optional(std::move(result).error());
}

Error no_such_cloud(const NodeGroupId& group, const PluginInstanceId& cloud) {
    return {ErrorCode::internal,
            "group " + group.value() + ": cloud " + cloud.value() + " not found"};
}

std::string node_of(const engine::MachineRemoval& removal, std::size_t machine) {
    return machine < removal.nodes.size() ? removal.nodes[machine] : std::string();
}

/// A removal that waits until its nodes have been rechecked and marked.
struct WaitingRemoval {
    engine::MachineRemoval removal;
    std::shared_ptr<plugin_runtime::instances::CloudClient> cloud;  ///< NULL: there is none
    bool is_atomic = false;                       ///< all its machines go, or none does
    std::vector<std::size_t> changes{};           ///< of its nodes, in the decision
    std::size_t open_changes = 0;                 ///< and rechecks
    std::map<std::string, Error> failed_nodes{};  ///< errors, by node
};

/// A change of a node, and its place in the decision.
struct PlacedChange {
    std::size_t at = 0;
    engine::NodeChange what{};
};

/// Nodes with a common recheck result: all nodes of an atomic removal, otherwise one node.
struct RecheckedNodes {
    std::vector<std::string> nodes{};
    std::vector<PlacedChange> changes{};  ///< that wait for the rechecks
    std::size_t open_rechecks = 0;
    std::optional<Error> error{};
};

/// Whether the change marks a node for a removal; otherwise it takes marks off.
bool is_mark(const engine::NodeChange& change) {
    return !change.set_taints.empty() || change.unschedulable.value_or(false);
}

/// Whether a removal begins with the change.
bool begins_removal(const engine::NodeChange& change) {
    return std::ranges::find(change.set_taints, engine::to_be_deleted_taint, &Taint::key) !=
           change.set_taints.end();
}

using CarriedOutDone = std::function<void(Results)>;

/// The execution of one decision, owned by its open calls.
class Execution : public std::enable_shared_from_this<Execution> {
public:
    Execution(const engine::Decision& decision, std::vector<engine::removal::NodeRecheck> rechecks,
              const Clouds& clouds, const engine::CallContext& call_context, CarriedOutDone done,
              const std::set<NodeGroupId>& atomic_groups)
        : call_context_(call_context),
          actions_(cloud_actions_of(decision)),
          done_(std::move(done)),
          rechecks_(is_unobserved() ? std::vector<engine::removal::NodeRecheck>()
                                    : std::move(rechecks)),
          atomic_groups_(atomic_groups) {
        results_.decreases.resize(decision.decreases.size());
        results_.removals.resize(decision.removals.size());
        results_.creations.resize(decision.creations.size());
        results_.increases.resize(decision.increases.size());
        results_.answered_targets.resize(decision.increases.size());
        results_.shortfalls.resize(decision.increases.size());
        results_.node_changes.resize(decision.node_changes.size());
        results_.evictions.resize(decision.evictions.size());
        results_.deletions.resize(decision.deletions.size());
        open_ = 1 + decision.decreases.size() + decision.removals.size() +
                decision.creations.size() + decision.increases.size() +
                decision.node_changes.size() + decision.evictions.size() +
                decision.deletions.size();
        open_places(CloudAction::decrease, decision.decreases.size());
        open_places(CloudAction::removal, decision.removals.size());
        open_places(CloudAction::creation, decision.creations.size());
        open_places(CloudAction::increase, decision.increases.size());
        open_places(CloudAction::deletion, decision.deletions.size());
        for (const engine::MachineRemoval& removal : decision.removals)
            removals_.push_back({.removal = removal,
                                 .cloud = clouds.find(removal.cloud),
                                 .is_atomic = atomic_groups.contains(removal.group)});
        for (std::size_t at = 0; at < decision.node_changes.size(); ++at)
            for (const std::size_t removal : removals_of(decision.node_changes[at].node)) {
                ++removals_[removal].open_changes;
                removals_[removal].changes.push_back(at);
            }
        for (const engine::removal::NodeRecheck& recheck : rechecks_)
            for (const std::size_t removal : removals_of(recheck.node))
                ++removals_[removal].open_changes;
        open_ += rechecks_.size();
        gather_rechecks();
    }

    void start(const engine::Decision& decision, const Clouds& clouds, ClusterClient& cluster) {
        is_unwritten() ? hold_orders() : order(decision, clouds);
        // Removals that wait for no change; the others are begun by the end of their last change.
        std::vector<std::size_t> due;
        for (std::size_t at = 0; at < removals_.size(); ++at)
            if (removals_[at].open_changes == 0) due.push_back(at);
        for (const std::size_t at : due) remove(at);
        const auto self = shared_from_this();
        for (std::size_t at = 0; at < decision.node_changes.size(); ++at) {
            const PlacedChange change{at, decision.node_changes[at]};
            const auto recheck = recheck_of_.find(change.what.node);
            recheck != recheck_of_.end()
                ? rechecked_nodes_[recheck->second].changes.push_back(change)
                : ask(cluster, change);
        }
        if (!rechecks_.empty())
            cluster.recheck(rechecks_, [self, &cluster](std::size_t at, Result<void> result) {
                self->take_recheck(self->rechecks_[at].node, find_error(std::move(result)),
                                   cluster);
            });
        for (std::size_t at = 0; at < decision.evictions.size(); ++at) {
            if (is_unobserved()) {
                take(results_.evictions[at], held_back());
                continue;
            }
            cluster.evict(decision.evictions[at], [self, at](Result<void> result) {
                self->take(self->results_.evictions[at], find_error(std::move(result)));
            });
        }
        end_one();
    }

    /// Ends the wait for clouds: actions that they have not answered go on in `actions_under_way`.
    void leave_clouds(std::shared_ptr<ActionsUnderWay> actions_under_way,
                      const std::string& since) {
        bool is_over = false;
        {
            const std::lock_guard lock(mutex_);
            under_way_ = std::move(actions_under_way);
            since_ = since;
            is_over = is_over_now();
        }
        if (is_over) deliver();
    }

private:
    void order(const engine::Decision& decision, const Clouds& clouds) {
        for (std::size_t at = 0; at < decision.decreases.size(); ++at)
            decrease(at, decision.decreases[at], clouds.find(decision.decreases[at].cloud));
        create(decision, clouds);
        for (std::size_t at = 0; at < decision.increases.size(); ++at) {
            if (is_created(decision, decision.increases[at].group)) continue;
            increase(at, decision.increases[at], clouds.find(decision.increases[at].cloud));
        }
        destroy(decision, clouds);
    }
    /// Removals are held back when their nodes have been rechecked.
    void hold_orders() {
        for (const ActionPlace& place : std::set<ActionPlace>(open_places_))
            if (place.first != CloudAction::removal) answer(place, held_back());
    }

    void open_places(CloudAction kind, std::size_t count) {
        for (std::size_t at = 0; at < count; ++at) open_places_.emplace(kind, at);
    }
    bool is_unobserved() const noexcept { return !call_context_.unobserved_because.empty(); }
    bool is_unwritten() const noexcept { return !call_context_.unwritten_because.empty(); }
    /// Nothing was asked for.
    Error held_back() const {
        return {.code = ErrorCode::cancelled,
                .message =
                    is_unobserved()
                        ? "the view of the cluster is stale: " + call_context_.unobserved_because
                        : std::string(engine::unwritten_memory) + call_context_.unwritten_because,
                .provider_code = std::string(engine::not_asked)};
    }

    void ask(ClusterClient& cluster, const PlacedChange& change) {
        if ((is_unobserved() && is_mark(change.what)) ||
            (is_unwritten() && begins_removal(change.what)))
            return take_change(change.at, change.what.node, held_back());
        cluster.change(change.what, [self = shared_from_this(), at = change.at,
                                     node = change.what.node](Result<void> result) {
            self->take_change(at, node, find_error(std::move(result)));
        });
    }

    void gather_rechecks() {
        std::map<std::size_t, std::size_t> of_removal;
        for (const engine::removal::NodeRecheck& recheck : rechecks_) {
            std::size_t at = rechecked_nodes_.size();
            for (const std::size_t removal : removals_of(recheck.node))
                if (removals_[removal].is_atomic)
                    at = of_removal.try_emplace(removal, at).first->second;
            if (at == rechecked_nodes_.size()) rechecked_nodes_.emplace_back();
            rechecked_nodes_[at].nodes.push_back(recheck.node);
            ++rechecked_nodes_[at].open_rechecks;
            recheck_of_.emplace(recheck.node, at);
        }
    }
    void take_recheck(const std::string& node, std::optional<Error> error, ClusterClient& cluster) {
        RecheckedNodes& rechecked = rechecked_nodes_[recheck_of_.at(node)];
        bool is_last = false;
        {
            const std::lock_guard lock(mutex_);
            // Unknown pods take precedence: it is the one error after which the removal is not
            // retried.
            const bool is_unknown = error && error->provider_code == engine::removal::unknown_pods;
            if (error && (!rechecked.error || is_unknown)) {
                if (rechecked.nodes.size() > 1) error->message.insert(0, "node " + node + ": ");
                rechecked.error = std::move(error);
            }
            CAPSTAN_ASSERT(rechecked.open_rechecks > 0, "a node is rechecked twice");
            is_last = --rechecked.open_rechecks == 0;
        }
        if (is_last) end_rechecks(rechecked, cluster);
        end_one();
    }
    void end_rechecks(const RecheckedNodes& rechecked, ClusterClient& cluster) {
        const std::optional<Error>& error = rechecked.error;
        for (const PlacedChange& change : rechecked.changes)
            error ? take_change(change.at, change.what.node, error) : ask(cluster, change);
        for (const std::string& node : rechecked.nodes) begin_removals(node, error);
    }

    void decrease(std::size_t at, const engine::Decrease& decrease,
                  const std::shared_ptr<plugin_runtime::instances::CloudClient>& cloud) {
        const ActionPlace place{CloudAction::decrease, at};
        if (!cloud) return answer(place, no_such_cloud(decrease.group, decrease.cloud));
        cloud->decrease_target(resize_of("decrease", decrease, call_context_),
                               [self = shared_from_this(), place](Result<Resized> resized) {
                                   self->answer(place, find_error(std::move(resized)));
                               });
    }
    void increase(std::size_t at, const engine::Increase& increase,
                  const std::shared_ptr<plugin_runtime::instances::CloudClient>& cloud) {
        const ActionPlace place{CloudAction::increase, at};
        if (!cloud) return answer(place, no_such_cloud(increase.group, increase.cloud));
        Resize resize = resize_of("increase", increase, call_context_);
        if (!atomic_groups_.contains(increase.group))
            return increase_in_part(place, increase, std::move(resize), cloud);
        resize.all_or_nothing = true;
        cloud->increase(
            resize, [self = shared_from_this(), place, increase, cloud](Result<Resized> resized) {
                const bool is_promised = resized || resized.error().code != ErrorCode::unsupported;
                if (is_promised) return self->take_increase(place, increase, std::move(resized));
                // A cloud that cannot promise all of them makes what it can; where not all come,
                // the group gives up what came.
                self->increase_in_part(place, increase,
                                       resize_of("increase in part", increase, self->call_context_),
                                       cloud);
            });
    }
    void increase_in_part(const ActionPlace& place, const engine::Increase& increase, Resize resize,
                          const std::shared_ptr<plugin_runtime::instances::CloudClient>& cloud) {
        cloud->increase(std::move(resize),
                        [self = shared_from_this(), place, increase](Result<Resized> resized) {
                            self->take_increase(place, increase, std::move(resized));
                        });
    }
    void take_increase(const ActionPlace& place, const engine::Increase& increase,
                       Result<Resized> resized) {
        if (!resized) return answer(place, std::move(resized).error());
        std::optional<Error> shortfall = std::move(resized->shortfall);
        if (!shortfall && resized->target < increase.from + increase.by && grows_alone(increase))
            shortfall =
                Error{.code = ErrorCode::out_of_capacity,
                      .message = "returned a target of " + std::to_string(resized->target) +
                                 " instead of " + std::to_string(increase.from + increase.by) +
                                 ", without a reason"};
        answer(place, {}, resized->target, std::move(shortfall));
    }
    /// Whether nothing else of the decision changes the target of its group.
    bool grows_alone(const engine::Increase& increase) const {
        const auto is_of_group = [&](const auto& action) { return action.group == increase.group; };
        return std::ranges::none_of(actions_.decreases, is_of_group) &&
               std::ranges::none_of(actions_.removals, is_of_group);
    }

    static bool is_created(const engine::Decision& decision, const NodeGroupId& group) {
        return std::ranges::find(decision.creations, group, &engine::GroupCreation::group) !=
               decision.creations.end();
    }
    /// Increases of a group begin when it is there.
    void create(const engine::Decision& decision, const Clouds& clouds) {
        for (std::size_t at = 0; at < decision.creations.size(); ++at) {
            const engine::GroupCreation& creation = decision.creations[at];
            std::map<std::size_t, engine::Increase> increases;
            for (std::size_t i = 0; i < decision.increases.size(); ++i)
                if (decision.increases[i].group == creation.group)
                    increases.emplace(i, decision.increases[i]);
            const auto cloud = clouds.find(creation.cloud);
            const auto created = [self = shared_from_this(), at, cloud,
                                  increases](std::optional<Error> error) {
                self->take_creation(at, std::move(error), increases, cloud);
            };
            if (!cloud) {
                created(no_such_cloud(creation.group, creation.cloud));
                continue;
            }
            cloud->create(creation.plan, [created](Result<std::monostate> result) {
                created(find_error(std::move(result)));
            });
        }
    }
    void take_creation(std::size_t at, std::optional<Error> error,
                       const std::map<std::size_t, engine::Increase>& increases,
                       const std::shared_ptr<plugin_runtime::instances::CloudClient>& cloud) {
        for (const auto& [place, asked] : increases) {
            if (!error) {
                increase(place, asked, cloud);
                continue;
            }
            // No cloud refused the increase: the error of the creation has the reason.
            answer({CloudAction::increase, place},
                   Error{.code = ErrorCode::cancelled,
                         .message = "group " + asked.group.value() + " was not created",
                         .provider_code = std::string(engine::not_asked)});
        }
        answer({CloudAction::creation, at}, std::move(error));
    }
    void destroy(const engine::Decision& decision, const Clouds& clouds) {
        for (std::size_t at = 0; at < decision.deletions.size(); ++at) {
            const engine::GroupDeletion& deletion = decision.deletions[at];
            const ActionPlace place{CloudAction::deletion, at};
            const auto cloud = clouds.find(deletion.cloud);
            if (!cloud) {
                answer(place, no_such_cloud(deletion.group, deletion.cloud));
                continue;
            }
            cloud->destroy(deletion.group,
                           [self = shared_from_this(), place](Result<std::monostate> deleted) {
                               self->answer(place, find_error(std::move(deleted)));
                           });
        }
    }

    std::vector<std::size_t> removals_of(const std::string& node) const {
        std::vector<std::size_t> out;
        for (std::size_t at = 0; at < removals_.size(); ++at)
            if (std::ranges::count(removals_[at].removal.nodes, node) > 0) out.push_back(at);
        return out;
    }

    void take_change(std::size_t at, const std::string& node, const std::optional<Error>& error) {
        // Before the removals: keep_atomic may replace this result by an error.
        results_.node_changes[at] = error;
        begin_removals(node, error);
        end_one();
    }

    /// Begins the removals that have waited for this recheck or change of the node alone.
    void begin_removals(const std::string& node, const std::optional<Error>& error) {
        std::vector<std::size_t> due;
        {
            const std::lock_guard lock(mutex_);
            for (const std::size_t removal : removals_of(node)) {
                if (error) removals_[removal].failed_nodes.emplace(node, *error);
                CAPSTAN_ASSERT(removals_[removal].open_changes > 0, "a removal begins twice");
                if (--removals_[removal].open_changes == 0) due.push_back(removal);
            }
        }
        for (const std::size_t removal : due) remove(removal);
    }

    /// Asks the cloud to remove the machines of the nodes that have been marked.
    void remove(std::size_t at) {
        if (is_unobserved() || is_unwritten()) return take_removal(at, {held_back()});
        const auto& [removal, cloud, is_atomic, changes, open_changes, failed_nodes] =
            removals_[at];
        if (is_atomic && !failed_nodes.empty()) return keep_atomic(at);
        std::vector<Error> failed;
        Removal request{
            .group = removal.group, .force = removal.force, .keep_target = removal.keep_target};
        IdempotencyKey key("remove", removal.cloud, removal.group, call_context_);
        for (std::size_t i = 0; i < removal.machines.size(); ++i) {
            const auto error = failed_nodes.find(node_of(removal, i));
            if (error == failed_nodes.end()) {
                key.with(removal.machines[i].value());
                request.machines.push_back(removal.machines[i]);
            } else {
                failed.push_back(error->second);
                failed.back().subject = removal.machines[i].value();
            }
        }
        if (!cloud) failed = {no_such_cloud(removal.group, removal.cloud)};
        if (!cloud || request.machines.empty()) return take_removal(at, std::move(failed));
        CAPSTAN_ASSERT(!is_atomic || request.machines.size() == removal.machines.size(),
                       "a part of an atomic group is removed");
        request.idempotency_key = key.text();
        cloud->remove(std::move(request), [self = shared_from_this(), at,
                                           failed](Result<Removed> removed) mutable {
            if (removed) {
                failed.insert(failed.end(), removed->failed.begin(), removed->failed.end());
            } else {
                removed.error().subject.clear();
                failed = {std::move(removed).error()};
            }
            self->take_removal(at, std::move(failed));
        });
    }

    /// Keeps all machines of an atomic removal, and has all changes of its nodes count as failed,
    /// so that the nodes are treated alike.
    void keep_atomic(std::size_t at) {
        const engine::MachineRemoval& removal = removals_[at].removal;
        Error error = within("group " + removal.group.value() + " is removed atomically",
                             removals_[at].failed_nodes.begin()->second);
        error.subject.clear();
        for (const std::size_t change : removals_[at].changes)
            if (!results_.node_changes[change]) results_.node_changes[change] = error;
        take_removal(at, {std::move(error)});
    }

    // Each call writes a result of its own, and the end of the last call happens after all of them.
    void take(std::optional<Error>& place, std::optional<Error> error) {
        place = std::move(error);
        end_one();
    }
    void answer(const ActionPlace& place, std::optional<Error> error,
                std::optional<int> target = {}, std::optional<Error> shortfall = {}) {
        end_place(place, [&] {
            const auto [kind, at] = place;
            if (error) {
                set_error(results_, place, *error);
            } else if (kind == CloudAction::increase) {
                results_.answered_targets[at] = target;
                results_.shortfalls[at] = std::move(shortfall);
            }
        });
    }
    void take_removal(std::size_t at, std::vector<Error> failed) {
        end_place({CloudAction::removal, at}, [&] { results_.removals[at] = std::move(failed); });
    }
    /// A cloud has answered; `note` writes down what.
    template <class Note>
    void end_place(const ActionPlace& place, const Note& note) {
        std::optional<ActionsUnderWay::Ended> late;
        ActionsUnderWay::Key key = 0;
        bool is_over = false;
        {
            const std::lock_guard lock(mutex_);
            const bool was_open = open_places_.erase(place) == 1;
            CAPSTAN_ASSERT(was_open && open_ > 0, "an action has two results");
            note();
            --open_;
            if (const auto left = left_.find(place); left != left_.end()) {
                key = left->second;
                late = ended_action(actions_, results_, place);
            }
            is_over = is_over_now();
        }
        if (late) return under_way_->end(key, *std::move(late));
        if (is_over) deliver();
    }
    void end_one() {
        {
            const std::lock_guard lock(mutex_);
            CAPSTAN_ASSERT(open_ > 0, "more calls end than begin");
            --open_;
            if (!is_over_now()) return;
        }
        deliver();
    }

    /// True once, when no call is waited for any more. [mutex_]
    bool is_over_now() {
        CAPSTAN_ASSERT(open_ >= open_places_.size(), "clouds are asked in calls that have ended");
        const bool is_open = under_way_ ? open_ > open_places_.size() : open_ > 0;
        return !is_open && !std::exchange(is_delivered_, true);
    }
    void deliver() {
        Results results;
        {
            const std::lock_guard lock(mutex_);
            results = results_;
            for (const ActionPlace& place : open_places_) {
                const std::string what =
                    command_at(actions_, place) + " has had no response since " + since_;
                left_.emplace(place, under_way_->begin(group_at(actions_, place), what));
                set_error(results, place,
                          {.code = ErrorCode::cancelled,
                           .message = "no response from the cloud since " + since_,
                           .provider_code = std::string(under_way)});
            }
        }
        done_(std::move(results));
    }

    const engine::CallContext call_context_;
    const engine::Decision actions_;
    const CarriedOutDone done_;
    const std::vector<engine::removal::NodeRecheck> rechecks_;
    const std::set<NodeGroupId> atomic_groups_;
    std::mutex mutex_;
    std::vector<WaitingRemoval> removals_;
    std::vector<RecheckedNodes> rechecked_nodes_;
    std::map<std::string, std::size_t> recheck_of_;  ///< by node, in `rechecked_nodes_`
    Results results_;
    std::size_t open_ = 0;                 ///< calls, and the start itself
    std::set<ActionPlace> open_places_{};  ///< those of them that clouds are asked for
    bool is_delivered_ = false;
    std::shared_ptr<ActionsUnderWay> under_way_{};  ///< NULL: clouds are waited for
    std::string since_{};                           ///< when they were asked
    std::map<ActionPlace, ActionsUnderWay::Key> left_{};
};

}  // namespace

std::set<NodeGroupId> find_atomic_groups(const std::vector<engine::Group>& groups) {
    std::set<NodeGroupId> out;
    for (const engine::Group& group : groups)
        if (group.options.zero_or_max.value_or(false)) out.insert(group.group.id);
    return out;
}

Results carry_out_now(const engine::Decision& decision,
                      const std::vector<engine::removal::NodeRecheck>& rechecks,
                      const Clouds& clouds, ClusterClient& cluster,
                      const engine::CallContext& call_context, PluginHost& host,
                      const std::set<NodeGroupId>& atomic_groups, const ActionPatience& patience) {
    if (call_context.dry_run) return {};
    const auto awaited = std::make_shared<Awaited<Results>>();
    const auto since = whole_second_text(host.loop().clock()->wall());
    const auto execution = std::make_shared<Execution>(
        decision, rechecks, clouds, call_context,
        [awaited](Results all) { awaited->put(std::move(all)); }, atomic_groups);
    execution->start(decision, clouds, cluster);
    bool is_there = awaited->wait(host, patience.under_way ? patience.length : change_patience);
    if (!is_there && patience.under_way) {
        execution->leave_clouds(patience.under_way, since);
        is_there = awaited->wait(host, change_patience);
    }
    if (is_there) return awaited->take();
    return failed_results(decision, {ErrorCode::deadline, "the event loop does not respond"});
}

}  // namespace capstan::autoscaler
