/// The cluster as the API server shows it, kept up to date by watching.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/result.hpp>

#include "engine/snapshot/cluster_builder.hpp"
#include "io/loop.hpp"
#include "kubernetes/client/kube_api.hpp"
#include "kubernetes/client/watch/reflector.hpp"

namespace capstan::kubernetes::client {

/// A kind that is not in touch with the server, and why.
struct MirrorTrouble {
    std::string kind{};
    Error error{};
    bool is_unavailable = false;  ///< this server does not have it, or keeps it from this host
};

/// Follows every kind a snapshot is made of with one reflector each, all feeding one
/// ClusterBuilder. Used on the loop's thread alone. None of the callbacks may end the mirror; they
/// may call it.
class ClusterCache {
public:
    struct Options {
        engine::snapshot::ClusterBuilderOptions builder{};
        std::uint64_t seed = 0;   ///< of jitter
        std::int64_t page = 500;  ///< objects in a page of a LIST
        bool watch_list = true;   ///< asks for initial events first; LIST where that is refused
        /// Something that a cluster shows has changed; heartbeats do not count. Told once, and
        /// again only after the next cluster().
        std::function<void()> on_change{};
        /// The same of pods that the scheduler found no node for: worth a pass at once.
        std::function<void()> on_unschedulable{};
        /// What went wrong in following a kind, once until it is over.
        std::function<void(const std::string& kind, const Error& error)> on_trouble{};
        /// An object that could not be read, for which its last version goes on to stand.
        std::function<void(const std::string& kind, const Error& error)> on_unreadable{};
    };
    /// Borrows both.
    ClusterCache(Api& api, io::Loop& loop, Options options);
    ClusterCache(const ClusterCache&) = delete;
    ClusterCache& operator=(const ClusterCache&) = delete;
    /// Cancels what is open; no callback runs afterwards.
    ~ClusterCache();

    void start();
    /// Every kind that is not unavailable has been here as a whole.
    bool has_synced() const;
    /// The cluster as a whole: while a kind is being listed anew, as it was before, so that no
    /// decision sees half a list. Costs what changed since the last call, and once in a while the
    /// making of a new builder without what old objects left behind. `unavailable`: not synced yet,
    /// or a kind has been out of touch with the server for longer than `max_age`, with the kind
    /// and its trouble.
    Result<engine::snapshot::Cluster> cluster(Duration max_age);
    /// Why nodes, pods or disruption budgets are not known to be as the server has them at this
    /// moment; empty: they are, but for what is on its way. The ordinary end of a watch, and no
    /// other, counts as its being open for five seconds.
    std::string unobserved_because() const;
    /// Of the pods ("namespace/name/uid") on the node by the server's word, the pods that the watch
    /// has not told of so far, whatever the last cluster() showed: "namespace/name". Not among them
    /// are pods with an undecodable last version, which the watch did tell of, and pods of a node
    /// that is gone.
    std::vector<std::string> find_unreported(std::string_view node,
                                             const std::vector<std::string>& pods) const;
    /// Lists all objects of the kind anew, since its watch is open but has not told of something;
    /// once in 30 s at most, for the mirror is blind meanwhile. False: it does not, because of that
    /// or since no watch is open (see Reflector).
    bool relist(std::string_view kind);
    /// Since when the scheduler has found no node for the pod, by the server's clock; nothing: it
    /// has, or has not tried yet.
    std::optional<Time> unschedulable_since(const std::string& ns, const std::string& pod) const;
    /// How each kind is followed, and how many objects of it are here now, whether or not a cluster
    /// was asked for.
    std::vector<ReflectorStatus> status() const;
    /// What is wrong at this moment, by kind; costs nothing to ask.
    std::vector<MirrorTrouble> troubles() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::kubernetes::client
