/// The cluster as the API server shows it, kept up to date by watching.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "engine/snapshot/cluster_builder.hpp"
#include "io/loop.hpp"
#include "kubernetes/client/api.hpp"

namespace capstan::kubernetes {

/// How one kind is followed.
struct ReflectorStatus {
    std::string kind{};
    bool has_synced = false;      ///< all its objects have been here once
    bool is_unavailable = false;  ///< an optional kind that this server has not
    std::size_t objects = 0;
    std::string resource_version{};
    std::optional<Time> last_heard{};  ///< from the server, bookmarks included
    std::uint64_t relists = 0;
    std::optional<Error> trouble{};  ///< what the last request came back with, while it lasts
};

/// Follows every kind a snapshot is made of with one reflector each, all feeding one
/// ClusterBuilder. Used on the loop's thread alone.
class Mirror {
public:
    struct Options {
        engine::ClusterBuilderOptions builder{};
        std::uint64_t seed = 0;   ///< of jitter
        std::int64_t page = 500;  ///< objects in a page of a LIST
        bool watch_list = true;   ///< asks for initial events first; LIST where that is refused
        /// Told, at most once a pass-worthy change: something a decision may depend on is new.
        std::function<void()> on_change{};
        /// A pod turned unschedulable: worth a pass at once.
        std::function<void()> on_unschedulable{};
        /// What went wrong, once until it is over; and objects that could not be read.
        std::function<void(const std::string& kind, const Error& error)> on_trouble{};
    };
    /// Borrows both.
    Mirror(Api& api, io::Loop& loop, Options options);
    Mirror(const Mirror&) = delete;
    Mirror& operator=(const Mirror&) = delete;
    /// Cancels what is open; nobody is called back afterwards.
    ~Mirror();

    void start();
    /// Every kind that is not unavailable has been here as a whole.
    bool has_synced() const;
    /// The cluster as a whole: while a kind is being listed anew, as it was before, so that no
    /// decision sees half a list. Costs what changed since the last call. `unavailable`: not synced
    /// yet, or a kind has not been heard of for longer than `max_age`, with the kind and its
    /// trouble.
    Result<engine::Cluster> cluster(Duration max_age);
    std::vector<ReflectorStatus> status() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::kubernetes
