/// The Balancers of the cluster, and what is remembered of each.
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
    Json spec{};  ///< as written
    bool is_dirty = true;
    bool is_gone = false;                ///< deleted, or replaced, while it was worked on
    std::map<ScaleRef, Scale> scales{};  ///< as last read or written
    std::set<ScaleRef> silent{};         ///< targets that did not answer when last asked
    std::uint64_t last_turn = 0;         ///< the higher the later
    std::optional<Time> next_due{};
    // As last told or written by this process while it leads; nothing: not yet.
    std::optional<std::string> troubles{};
    std::optional<bool> has_fallen_back{};
    std::optional<Json> status{};
    std::vector<Problem> now{};  ///< what goes wrong with it
};

/// [strand]
class BalancerCache {
public:
    /// Whether it is new, or another spec; its own status is no news.
    bool put(const Json& object);
    /// NULL: there was none.
    std::shared_ptr<Entry> remove(const Json& object);

    void mark_all_dirty();
    /// Others may have told and written since.
    void forget_told();
    // Whether there was an entry to mark.
    bool soil_namespace(const std::string& ns);
    /// Those with that target.
    bool soil_target(const KubeResource& resource, const std::string& ns, const std::string& name);
    void soil_due(Time now);

    /// Those that waited longest first, then by namespace and name.
    std::vector<std::shared_ptr<Entry>> dirty() const;
    /// The older Balancer that has the object for a target, too, and decides on it. NULL: none.
    const Balancer* find_elder(const Balancer& balancer, const Target& target) const;
    const std::map<std::string, std::shared_ptr<Entry>>& entries() const noexcept {
        return entries_;
    }
    std::optional<Time> next_due() const;

private:
    /// When it was made, its path; and by object: the Balancers that have it for a target, the
    /// oldest first.
    using Claim = std::pair<std::string, std::string>;
    void claim_all(const Balancer& balancer);
    void unclaim_all(const Balancer& balancer);
    void mark_all_dirty_but(const std::set<Claim>& claims, const std::string& path);

    std::map<std::string, std::shared_ptr<Entry>> entries_;  ///< by path
    std::map<std::string, std::set<Claim>> claims_;
};

}  // namespace capstan::replicas
