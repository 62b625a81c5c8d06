#include "balancer_cache.hpp"

#include <algorithm>
#include <utility>

namespace capstan::replicas {
namespace {

std::string object_of(const std::string& ns, const ScaleRef& ref) {
    return ns + "/" + std::string(group_of(ref)) + "/" + ref.kind + "/" + ref.name;
}

}  // namespace

bool BalancerCache::put(const Json& object) {
    Balancer balancer = read_balancer(object);
    std::shared_ptr<Entry>& entry = entries_[balancer.path()];
    const Json* spec = object.find("spec");
    const bool is_same = entry && entry->balancer.uid == balancer.uid && spec != nullptr &&
                         entry->spec == *spec && entry->balancer.generation == balancer.generation;
    if (is_same) {
        entry->balancer.status = std::move(balancer.status);
        return false;
    }
    if (entry) unclaim_all(entry->balancer);
    if (entry && entry->balancer.uid != balancer.uid) {
        entry->is_gone = true;
        entry.reset();
    }
    if (!entry) entry = std::make_shared<Entry>();
    claim_all(balancer);
    entry->balancer = std::move(balancer);
    entry->spec = spec != nullptr ? *spec : Json();
    entry->is_dirty = true;
    return true;
}

std::shared_ptr<Entry> BalancerCache::remove(const Json& object) {
    const auto at = entries_.find(object.text_at({"metadata", "namespace"}) + "/" +
                                  object.text_at({"metadata", "name"}));
    if (at == entries_.end()) return nullptr;
    std::shared_ptr<Entry> entry = std::move(at->second);
    entry->is_gone = true;
    entries_.erase(at);
    unclaim_all(entry->balancer);
    return entry;
}

void BalancerCache::claim_all(const Balancer& balancer) {
    for (const Target& target : balancer.targets) {
        std::set<Claim>& claims = claims_[object_of(balancer.ns, target.ref)];
        claims.insert({balancer.created, balancer.path()});
        mark_all_dirty_but(claims, balancer.path());
    }
}

void BalancerCache::unclaim_all(const Balancer& balancer) {
    for (const Target& target : balancer.targets) {
        const auto at = claims_.find(object_of(balancer.ns, target.ref));
        if (at == claims_.end()) continue;
        at->second.erase({balancer.created, balancer.path()});
        mark_all_dirty_but(at->second, balancer.path());
        if (at->second.empty()) claims_.erase(at);
    }
}

void BalancerCache::mark_all_dirty_but(const std::set<Claim>& claims, const std::string& path) {
    for (const auto& [created, other] : claims) {
        const auto at = entries_.find(other);
        if (other != path && at != entries_.end()) at->second->is_dirty = true;
    }
}

const Balancer* BalancerCache::find_older_owner(const Balancer& balancer,
                                                const Target& target) const {
    const auto claims = claims_.find(object_of(balancer.ns, target.ref));
    if (claims == claims_.end() || claims->second.empty()) return nullptr;
    const std::string& oldest = claims->second.begin()->second;
    const auto at = entries_.find(oldest);
    if (oldest == balancer.path() || at == entries_.end()) return nullptr;
    return &at->second->balancer;
}

void BalancerCache::mark_all_dirty() {
    for (const auto& [path, entry] : entries_) entry->is_dirty = true;
}

void BalancerCache::forget_reported() {
    for (const auto& [path, entry] : entries_) {
        entry->reported_problems.reset();
        entry->reported_fallback.reset();
        entry->written_status.reset();
    }
}

bool BalancerCache::mark_namespace_dirty(const std::string& ns) {
    bool is_any = false;
    const std::string start = ns + "/";
    for (auto at = entries_.lower_bound(start); at != entries_.end(); ++at) {
        if (!at->first.starts_with(start)) break;
        at->second->is_dirty = is_any = true;
    }
    return is_any;
}

bool BalancerCache::mark_target_dirty(const KubeResource& resource, const std::string& ns,
                                      const std::string& name) {
    bool is_any = false;
    for (const auto& [path, entry] : entries_) {
        if (entry->balancer.ns != ns) continue;
        for (const Target& target : entry->balancer.targets) {
            if (target.ref.name == name && target.ref.kind == resource.kind)
                entry->is_dirty = is_any = true;
        }
    }
    return is_any;
}

void BalancerCache::mark_due_dirty(Time now) {
    for (const auto& [path, entry] : entries_) {
        const std::optional<Time>& due = entry->next_due;
        if (due && *due <= now) entry->is_dirty = true;
    }
}

std::vector<std::shared_ptr<Entry>> BalancerCache::dirty() const {
    std::vector<std::shared_ptr<Entry>> out;
    for (const auto& [path, entry] : entries_) {
        if (entry->is_dirty) out.push_back(entry);
    }
    std::ranges::sort(out, {}, [](const std::shared_ptr<Entry>& entry) {
        return std::pair(entry->last_turn, entry->balancer.path());
    });
    return out;
}

std::optional<Time> BalancerCache::next_due() const {
    std::optional<Time> out;
    for (const auto& [path, entry] : entries_) {
        const std::optional<Time>& due = entry->next_due;
        if (due) out = std::min(out.value_or(Time::max()), *due);
    }
    return out;
}

}  // namespace capstan::replicas
