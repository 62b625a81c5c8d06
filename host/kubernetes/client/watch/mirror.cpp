#include "kubernetes/client/watch/mirror.hpp"

#include <algorithm>
#include <list>
#include <utility>

#include <capstan/duration.hpp>

#include "engine/snapshot/cluster_copy.hpp"
#include "io/clock.hpp"
#include "kubernetes/client/watch/mirror_feed.hpp"
#include "kubernetes/client/watch/mirror_kinds.hpp"
#include "kubernetes/client/watch/mirror_store.hpp"

namespace capstan::kubernetes {
namespace {

/// One kind on its way from the server into the feed.
struct Lane {
    Lane(Api& api, io::Loop& loop, MirrorFeed& feed, const Mirror::Options& options,
         const MirrorKind& of)
        : kind(*find_kind(of.resource.kind, api_version(of))),
          store(kind, feed, teller(options, of)),
          reflector(api, loop, store,
                    {.what = {of.resource, std::string(of.field_selector)},
                     .is_optional = of.is_optional,
                     .page = options.page,
                     .watch_list = options.watch_list,
                     .seed = io::seed_for(options.seed, of.resource.plural),
                     .on_trouble = teller(options, of)}) {}

    static std::string api_version(const MirrorKind& of) {
        return std::string(of.resource.group) + "/" + std::string(of.resource.version);
    }
    static std::function<void(const Error&)> teller(const Mirror::Options& options,
                                                    const MirrorKind& of) {
        return [tell = options.on_trouble, name = std::string(of.resource.kind)](const Error& e) {
            if (tell) tell(name, e);
        };
    }
    bool is_settled() const { return reflector.has_synced() || reflector.is_unavailable(); }
    /// Whether its age matters: of a kind that is not there only if it got halfway.
    bool is_depended_on() const { return !reflector.is_unavailable() || store.is_replacing(); }

    const ObjectKind& kind;
    MirrorStore store;
    Reflector reflector;
};

std::size_t count_of(const engine::Cluster& cluster, engine::ObjectKind kind) {
    std::size_t count = 0;
    engine::for_each_name(cluster, kind, [&](auto, auto) { ++count; });
    return count;
}

}  // namespace

struct Mirror::State {
    State(Api& api, io::Loop& loop, Options options) : feed(std::move(options.builder)) {
        for (const MirrorKind& kind : mirror_kinds())
            lanes.emplace_back(api, loop, feed, options, kind);
        feed.is_complete = [this] { return has_synced(); };
        feed.on_change = std::move(options.on_change);
        feed.on_unschedulable = std::move(options.on_unschedulable);
    }
    bool has_synced() const { return std::ranges::all_of(lanes, &Lane::is_settled); }

    MirrorFeed feed;
    std::list<Lane> lanes;
};

Mirror::Mirror(Api& api, io::Loop& loop, Options options)
    : state_(std::make_unique<State>(api, loop, std::move(options))) {}
Mirror::~Mirror() = default;

void Mirror::start() {
    for (Lane& lane : state_->lanes) lane.reflector.start();
}

bool Mirror::has_synced() const { return state_->has_synced(); }

Result<engine::Cluster> Mirror::cluster(Duration max_age) {
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

std::vector<ReflectorStatus> Mirror::status() const {
    const engine::Cluster held = state_->feed.held();
    std::vector<ReflectorStatus> out;
    for (const Lane& lane : state_->lanes) {
        ReflectorStatus& status = out.emplace_back(lane.reflector.status());
        status.kind = lane.kind.kind;
        status.objects = count_of(held, lane.kind.object);
        status.unreadable = lane.store.unreadable();
    }
    return out;
}

}  // namespace capstan::kubernetes
