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

/// A present failure to list or watch a kind.
struct WatchFailure {
    std::string kind{};
    Error error{};
    bool is_unavailable = false;  ///< an optional kind that the server lacks or forbids
};

/// One reflector per kind of a snapshot lists and watches the kind; all write into one
/// ClusterBuilder. Used on the loop's thread alone. A callback may call the cache, but must not
/// destroy it.
class ClusterCache {
public:
    struct Options {
        engine::snapshot::ClusterBuilderOptions builder{};
        std::uint64_t seed = 0;   ///< of jitter
        std::int64_t page = 500;  ///< objects in a page of a LIST
        bool watch_list = true;   ///< streams initial events; LIST if the server refuses that
        /// The cluster has changed; heartbeats are not a change. Called once, and again only after
        /// the next cluster().
        std::function<void()> on_change{};
        /// The scheduler has found no node for a pod, which is worth a pass at once. Called once,
        /// and again only after the next cluster().
        std::function<void()> on_unschedulable{};
        /// A list or watch of the kind fails. Called once until the failure is over, and again if
        /// the error's code changes.
        std::function<void(const std::string& kind, const Error& error)> on_error{};
        /// An object, or a part of one, could not be decoded. If it is the whole object, its last
        /// version stays in the cache.
        std::function<void(const std::string& kind, const Error& error)> on_unreadable{};
    };
    /// Borrows `api` and `loop`.
    ClusterCache(Api& api, io::Loop& loop, Options options);
    ClusterCache(const ClusterCache&) = delete;
    ClusterCache& operator=(const ClusterCache&) = delete;
    /// Cancels all requests; no callback runs afterwards.
    ~ClusterCache();

    void start();
    /// Whether each kind, except for unavailable ones, has been listed once.
    bool has_synced() const;
    /// The newest whole cluster. While a kind is listed again this is the cluster from before, so
    /// that no decision sees half a list. The cost is that of the changes since the last call, and
    /// occasionally that of a new builder (see CachePublisher). `unavailable`: not synced yet, or a
    /// kind has been out of touch with the server for longer than `max_age`; the message has the
    /// kind and its failure.
    Result<engine::snapshot::Cluster> cluster(Duration max_age);
    /// Why the cache may differ from the server in nodes, pods or disruption budgets; empty: their
    /// watches are open. A watch that ended in the ordinary way counts as open for five seconds.
    std::string unobserved_because() const;
    /// `pods` ("namespace/name/uid") are on the node according to the server. Returns the pods
    /// among them that the watch has not reported so far, as "namespace/name", whether or not
    /// cluster() was called since. A pod whose last version could not be decoded counts as
    /// reported. Empty if the cache does not have the node.
    std::vector<std::string> find_unreported(std::string_view node,
                                             const std::vector<std::string>& pods) const;
    /// Lists the kind again, because its open watch has missed an object. At most once in 30 s,
    /// because cluster() is not up to date during a list. False: no new list begins, because of
    /// that limit or because no watch is open (see Reflector::relist).
    bool relist(std::string_view kind);
    /// Since when the scheduler has found no node for the pod, by the server's clock. Absent: the
    /// scheduler has found one, or has not tried yet.
    std::optional<Time> unschedulable_since(const std::string& ns, const std::string& pod) const;
    /// The state of each kind's reflector, with the number of cached objects. The number is up to
    /// date even if cluster() was not called.
    std::vector<ReflectorStatus> status() const;
    /// The present failures, by kind; a cheap call.
    std::vector<WatchFailure> watch_failures() const;
    /// The kinds that has_synced() waits for, each with its present failure or with the error that
    /// its list is not complete; a cheap call.
    std::vector<WatchFailure> unsynced() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::kubernetes::client
