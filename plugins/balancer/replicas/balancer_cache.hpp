/// The Balancers of the cluster, and what the controller remembers of each.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/json.hpp>
#include <capstan/kube_request.hpp>

#include "balancer.hpp"
#include "decide.hpp"

namespace capstan::replicas {

struct Entry {
    Balancer balancer{};
    Json spec{};                         ///< as the API server has it
    bool is_dirty = true;                ///< to be reconciled
    bool is_gone = false;                ///< deleted, or replaced, while it was reconciled
    std::map<ScaleRef, Scale> scales{};  ///< as last read or written
    std::set<ScaleRef> unresponsive{};   ///< targets that timed out and have not answered since
    std::uint64_t last_turn = 0;         ///< number of its last reconcile; higher is later
    std::optional<Time> next_due{};      ///< when it becomes dirty without an event
    // What this process reported or wrote last since it became the leader; absent: not yet.
    std::optional<std::string> reported_problems{};
    std::optional<bool> reported_fallback{};
    std::optional<Json> written_status{};
    std::vector<Problem> problems{};  ///< found by its last reconcile
};

/// [strand]
class BalancerCache {
public:
    /// Stores a Balancer. True: it is new, or its spec has changed; false: at most its status has.
    bool put(const Json& object);
    /// The entry that was removed; NULL: there was none.
    std::shared_ptr<Entry> remove(const Json& object);

    void mark_all_dirty();
    /// Forgets what was reported and written: another process may have been the leader since.
    void forget_reported();
    /// Marks the Balancers of a namespace. False: it has none.
    bool mark_namespace_dirty(const std::string& ns);
    /// Marks the Balancers that have the object as a target. False: there is none.
    bool mark_target_dirty(const KubeResource& resource, const std::string& ns,
                           const std::string& name);
    /// Marks the Balancers whose `next_due` has come.
    void mark_due_dirty(Time now);

    /// The entries to be reconciled: the longest waiting first, then by namespace and name.
    std::vector<std::shared_ptr<Entry>> dirty() const;
    /// The oldest Balancer that has the target's object as a target, too: that one scales it.
    /// NULL: `balancer` is the oldest.
    const Balancer* find_older_owner(const Balancer& balancer, const Target& target) const;
    const std::map<std::string, std::shared_ptr<Entry>>& entries() const noexcept {
        return entries_;
    }
    std::optional<Time> next_due() const;

private:
    /// A Balancer's claim on a target: the Balancer's creation time, and its path. The oldest
    /// sorts first.
    using Claim = std::pair<std::string, std::string>;
    void claim_all(const Balancer& balancer);
    void unclaim_all(const Balancer& balancer);
    void mark_all_dirty_but(const std::set<Claim>& claims, const std::string& path);

    std::map<std::string, std::shared_ptr<Entry>> entries_;  ///< by path
    std::map<std::string, std::set<Claim>> claims_;          ///< by the target's object
};

}  // namespace capstan::replicas
