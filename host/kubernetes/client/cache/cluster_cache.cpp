#include "kubernetes/client/cache/cluster_cache.hpp"

#include <algorithm>
#include <list>
#include <optional>
#include <set>
#include <utility>

#include <capstan/duration.hpp>

#include "engine/drainability/leaving_pods.hpp"
#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_copy.hpp"
#include "io/clock.hpp"
#include "kubernetes/client/cache/cache_publisher.hpp"
#include "kubernetes/client/cache/object_cache.hpp"

namespace capstan::kubernetes::client {
namespace {

/// The reflector of one kind, and the cache that it fills.
struct KindEntry {
    KindEntry(Api& api, io::Loop& loop, CachePublisher& publisher,
              const ClusterCache::Options& options, const CachedKind& of)
        : kind(*objects::find_kind(of.resource.kind, api_version_of(of.resource))),
          cache(kind, publisher, make_reporter(options.on_unreadable, of)),
          reflector(api, loop, cache,
                    {.what = watch_target(of.resource, of.field_selector),
                     .is_optional = of.is_optional,
                     .page = options.page,
                     .watch_list = options.watch_list,
                     .seed = io::seed_for(options.seed, of.resource.plural),
                     .on_error = make_reporter(options.on_error, of)}) {}

    using Report = std::function<void(const std::string& kind, const Error& error)>;
    static std::function<void(const Error&)> make_reporter(const Report& report,
                                                           const CachedKind& of) {
        return [report, name = std::string(of.resource.kind)](const Error& error) {
            if (report) report(name, error);
        };
    }
    bool is_settled() const { return reflector.has_synced() || reflector.is_unavailable(); }
    /// Whether a decision needs the kind to be up to date. An unavailable kind matters only where
    /// its list was cut off halfway.
    bool must_be_recent() const { return !reflector.is_unavailable() || cache.is_replacing(); }

    const objects::ObjectKind& kind;
    ObjectCache cache;
    Reflector reflector;
    std::optional<Duration> relisted{};  ///< when relist() last began a list
};

/// The server ends each watch after its timeout, and the next watch takes a moment to open.
constexpr Duration in_touch_after_end = std::chrono::seconds(5);

constexpr Duration relists_apart = std::chrono::seconds(30);

/// Whether a removal could be wrong because the cache lacks a change of this kind.
bool decides_removals(engine::snapshot::ObjectKind kind) {
    return kind == engine::snapshot::ObjectKind::node ||
           kind == engine::snapshot::ObjectKind::pod ||
           kind == engine::snapshot::ObjectKind::disruption_budget;
}

std::size_t count_of(const engine::snapshot::Cluster& cluster, engine::snapshot::ObjectKind kind) {
    std::size_t count = 0;
    engine::snapshot::for_each_name(cluster, kind, [&](auto, auto) { ++count; });
    return count;
}

}  // namespace

struct ClusterCache::State {
    State(Api& api, io::Loop& on, Options options)
        : loop(on), publisher(std::move(options.builder)) {
        for (const CachedKind& kind : cached_kinds())
            entries.emplace_back(api, loop, publisher, options, kind);
        publisher.is_complete = [this] { return has_synced(); };
        publisher.on_change = std::move(options.on_change);
        publisher.on_unschedulable = std::move(options.on_unschedulable);
    }
    bool has_synced() const { return std::ranges::all_of(entries, &KindEntry::is_settled); }
    /// NULL: the cache does not have the kind.
    KindEntry* find_entry(std::string_view kind) {
        const auto at = std::ranges::find_if(
            entries, [kind](const KindEntry& entry) { return entry.kind.kind == kind; });
        return at != entries.end() ? &*at : nullptr;
    }

    io::Loop& loop;
    CachePublisher publisher;
    std::list<KindEntry> entries;
};

ClusterCache::ClusterCache(Api& api, io::Loop& loop, Options options)
    : state_(std::make_unique<State>(api, loop, std::move(options))) {}
ClusterCache::~ClusterCache() = default;

void ClusterCache::start() {
    for (KindEntry& entry : state_->entries) entry.reflector.start();
}

bool ClusterCache::has_synced() const { return state_->has_synced(); }

Result<engine::snapshot::Cluster> ClusterCache::cluster(Duration max_age) {
    for (const KindEntry& entry : state_->entries) {
        const std::optional<Error> trouble = entry.reflector.status().trouble;
        const std::string because = trouble ? ": " + trouble->message : std::string();
        const std::string kind(entry.kind.kind);
        if (!entry.is_settled())
            return fail(ErrorCode::unavailable, kind + ": not synced" + because);
        if (entry.must_be_recent() && entry.reflector.age() > max_age)
            return fail(ErrorCode::unavailable, kind + ": last synced " +
                                                    format_rough_duration(entry.reflector.age()) +
                                                    " ago" + because);
    }
    if (auto cluster = state_->publisher.cluster()) return *std::move(cluster);
    return fail(ErrorCode::unavailable, "a kind is being listed again for the first time");
}

std::string ClusterCache::unobserved_because() const {
    for (const KindEntry& entry : state_->entries) {
        if (!decides_removals(entry.kind.object)) continue;
        const bool is_in_touch = entry.reflector.is_in_touch(in_touch_after_end);
        if (is_in_touch && !entry.cache.is_replacing()) continue;
        const Duration age = entry.reflector.age();
        const std::optional<Error> trouble = entry.reflector.status().trouble;
        const bool is_anew = age <= in_touch_after_end && !trouble;
        const std::string what = is_anew
                                     ? " is being listed again"
                                     : " was last synced " + format_rough_duration(age) + " ago";
        return std::string(entry.kind.kind) + what + (trouble ? ": " + trouble->message : "");
    }
    return {};
}

std::vector<std::string> ClusterCache::find_unreported(std::string_view node,
                                                       const std::vector<std::string>& pods) const {
    const engine::snapshot::Cluster cluster = state_->publisher.builder().build();
    const std::optional<engine::NodeIndex> index = cluster.find_node(node);
    const KindEntry* const entry = state_->find_entry("Pod");
    if (!index || entry == nullptr) return {};
    std::set<std::string> cached;
    for (const engine::PodIndex pod : cluster.pods_on(*index))
        cached.insert(engine::drainability::pod_key(cluster, pod));
    std::vector<std::string> out;
    for (const std::string& pod : pods) {
        std::string name = pod.substr(0, pod.rfind('/'));
        if (!cached.contains(pod) && !entry->cache.is_unreadable(name))
            out.push_back(std::move(name));
    }
    return out;
}

bool ClusterCache::relist(std::string_view kind) {
    KindEntry* const entry = state_->find_entry(kind);
    if (entry == nullptr) return false;
    const Duration now = state_->loop.monotonic();
    if (entry->relisted && now - *entry->relisted < relists_apart) return false;
    if (!entry->reflector.relist()) return false;
    entry->relisted = now;
    return true;
}

std::optional<Time> ClusterCache::unschedulable_since(const std::string& ns,
                                                      const std::string& pod) const {
    const KindEntry* const entry = state_->find_entry("Pod");
    return entry != nullptr ? entry->cache.unschedulable_since(ns + "/" + pod) : std::nullopt;
}

std::vector<ReflectorStatus> ClusterCache::status() const {
    const engine::snapshot::Cluster cluster = state_->publisher.peek();
    std::vector<ReflectorStatus> out;
    for (const KindEntry& entry : state_->entries) {
        ReflectorStatus& status = out.emplace_back(entry.reflector.status());
        status.kind = entry.kind.kind;
        status.objects = count_of(cluster, entry.kind.object);
        status.unreadable = entry.cache.unreadable();
    }
    return out;
}

std::vector<WatchFailure> ClusterCache::watch_failures() const {
    std::vector<WatchFailure> out;
    for (const KindEntry& entry : state_->entries)
        if (std::optional<Error> trouble = entry.reflector.status().trouble)
            out.push_back({std::string(entry.kind.kind), *std::move(trouble),
                           entry.reflector.is_unavailable()});
    return out;
}

std::vector<WatchFailure> ClusterCache::unsynced() const {
    std::vector<WatchFailure> out;
    for (const KindEntry& entry : state_->entries) {
        if (entry.is_settled()) continue;
        const Error incomplete{ErrorCode::busy, "the list is not complete"};
        out.push_back(
            {std::string(entry.kind.kind), entry.reflector.status().trouble.value_or(incomplete)});
    }
    return out;
}

}  // namespace capstan::kubernetes::client
