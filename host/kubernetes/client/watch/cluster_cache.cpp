#include "kubernetes/client/watch/cluster_cache.hpp"

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
#include "kubernetes/client/watch/cache_publisher.hpp"
#include "kubernetes/client/watch/object_cache.hpp"

namespace capstan::kubernetes::client {
namespace {

/// One kind on its way from the server into the feed.
struct Lane {
    Lane(Api& api, io::Loop& loop, CachePublisher& feed, const ClusterCache::Options& options,
         const CachedKind& of)
        : kind(*find_kind(of.resource.kind, api_version(of))),
          store(kind, feed, teller(options.on_unreadable, of)),
          reflector(api, loop, store,
                    {.what = followed(of.resource, of.field_selector),
                     .is_optional = of.is_optional,
                     .page = options.page,
                     .watch_list = options.watch_list,
                     .seed = io::seed_for(options.seed, of.resource.plural),
                     .on_trouble = teller(options.on_trouble, of)}) {}

    static std::string api_version(const CachedKind& of) {
        return std::string(of.resource.group) + "/" + std::string(of.resource.version);
    }
    using Tell = std::function<void(const std::string& kind, const Error& error)>;
    static std::function<void(const Error&)> teller(const Tell& tell, const CachedKind& of) {
        return [tell, name = std::string(of.resource.kind)](const Error& error) {
            if (tell) tell(name, error);
        };
    }
    bool is_settled() const { return reflector.has_synced() || reflector.is_unavailable(); }
    /// Whether its age matters: of a kind that is not there only if it got halfway.
    bool is_depended_on() const { return !reflector.is_unavailable() || store.is_replacing(); }

    const ObjectKind& kind;
    ObjectCache store;
    Reflector reflector;
    std::optional<Duration> relisted{};  ///< when relist() last did
};

/// The server closes each watch in its turn, and the next one takes a moment to open.
constexpr Duration in_touch_after_end = std::chrono::seconds(5);

constexpr Duration relists_apart = std::chrono::seconds(30);

/// Whether a removal could be wrong of what is not seen of the kind.
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
    State(Api& api, io::Loop& on, Options options) : loop(on), feed(std::move(options.builder)) {
        for (const CachedKind& kind : cached_kinds())
            lanes.emplace_back(api, loop, feed, options, kind);
        feed.is_complete = [this] { return has_synced(); };
        feed.on_change = std::move(options.on_change);
        feed.on_unschedulable = std::move(options.on_unschedulable);
    }
    bool has_synced() const { return std::ranges::all_of(lanes, &Lane::is_settled); }
    /// NULL: the kind is not followed.
    Lane* find_lane(std::string_view kind) {
        const auto at = std::ranges::find_if(
            lanes, [kind](const Lane& lane) { return lane.kind.kind == kind; });
        return at != lanes.end() ? &*at : nullptr;
    }

    io::Loop& loop;
    CachePublisher feed;
    std::list<Lane> lanes;
};

ClusterCache::ClusterCache(Api& api, io::Loop& loop, Options options)
    : state_(std::make_unique<State>(api, loop, std::move(options))) {}
ClusterCache::~ClusterCache() = default;

void ClusterCache::start() {
    for (Lane& lane : state_->lanes) lane.reflector.start();
}

bool ClusterCache::has_synced() const { return state_->has_synced(); }

Result<engine::snapshot::Cluster> ClusterCache::cluster(Duration max_age) {
    for (const Lane& lane : state_->lanes) {
        const std::optional<Error> trouble = lane.reflector.status().trouble;
        const std::string because = trouble ? ": " + trouble->message : std::string();
        const std::string kind(lane.kind.kind);
        if (!lane.is_settled())
            return fail(ErrorCode::unavailable, kind + ": not all of them are here yet" + because);
        if (lane.is_depended_on() && lane.reflector.age() > max_age)
            return fail(ErrorCode::unavailable, kind + ": out of touch with the API server for " +
                                                    format_rough_duration(lane.reflector.age()) +
                                                    because);
    }
    if (auto cluster = state_->feed.cluster()) return *std::move(cluster);
    return fail(ErrorCode::unavailable, "a kind is being listed anew for the first time");
}

std::string ClusterCache::unobserved_because() const {
    for (const Lane& lane : state_->lanes) {
        if (!decides_removals(lane.kind.object)) continue;
        const bool is_in_touch = lane.reflector.is_in_touch(in_touch_after_end);
        if (is_in_touch && !lane.store.is_replacing()) continue;
        const Duration age = lane.reflector.age();
        const std::optional<Error> trouble = lane.reflector.status().trouble;
        const bool is_anew = age <= in_touch_after_end && !trouble;
        const std::string what = is_anew ? " is being listed anew"
                                         : " has been out of touch with the API server for " +
                                               format_rough_duration(age);
        return std::string(lane.kind.kind) + what + (trouble ? ": " + trouble->message : "");
    }
    return {};
}

std::vector<std::string> ClusterCache::find_unreported(std::string_view node,
                                                       const std::vector<std::string>& pods) const {
    const engine::snapshot::Cluster cluster = state_->feed.builder().build();
    const std::optional<engine::snapshot::NodeIndex> index = cluster.find_node(node);
    const Lane* const lane = state_->find_lane("Pod");
    if (!index || lane == nullptr) return {};
    std::set<std::string> here;
    for (const engine::snapshot::PodIndex pod : cluster.pods_on(*index))
        here.insert(engine::drainability::pod_key(cluster, pod));
    std::vector<std::string> out;
    for (const std::string& pod : pods) {
        std::string name = pod.substr(0, pod.rfind('/'));
        if (!here.contains(pod) && !lane->store.is_unreadable(name)) out.push_back(std::move(name));
    }
    return out;
}

bool ClusterCache::relist(std::string_view kind) {
    Lane* const lane = state_->find_lane(kind);
    if (lane == nullptr) return false;
    const Duration now = state_->loop.monotonic();
    if (lane->relisted && now - *lane->relisted < relists_apart) return false;
    if (!lane->reflector.relist()) return false;
    lane->relisted = now;
    return true;
}

std::optional<Time> ClusterCache::unschedulable_since(const std::string& ns,
                                                      const std::string& pod) const {
    const Lane* const lane = state_->find_lane("Pod");
    return lane != nullptr ? lane->store.unschedulable_since(ns + "/" + pod) : std::nullopt;
}

std::vector<ReflectorStatus> ClusterCache::status() const {
    const engine::snapshot::Cluster held = state_->feed.held();
    std::vector<ReflectorStatus> out;
    for (const Lane& lane : state_->lanes) {
        ReflectorStatus& status = out.emplace_back(lane.reflector.status());
        status.kind = lane.kind.kind;
        status.objects = count_of(held, lane.kind.object);
        status.unreadable = lane.store.unreadable();
    }
    return out;
}

std::vector<MirrorTrouble> ClusterCache::troubles() const {
    std::vector<MirrorTrouble> out;
    for (const Lane& lane : state_->lanes)
        if (std::optional<Error> trouble = lane.reflector.status().trouble)
            out.push_back({std::string(lane.kind.kind), *std::move(trouble),
                           lane.reflector.is_unavailable()});
    return out;
}

}  // namespace capstan::kubernetes::client
