/// The kinds that a ClusterCache has, and the cache of one kind's objects.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <boost/json/value.hpp>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

#include "kubernetes/client/cache/cache_publisher.hpp"
#include "kubernetes/client/paths.hpp"
#include "kubernetes/client/watch/reflector.hpp"
#include "kubernetes/objects/object_kinds.hpp"

namespace capstan::kubernetes::client {

struct CachedKind {
    ApiResource resource;
    /// What decisions need the kind for, as the end of a sentence after "needed to": "drain nodes
    /// within PodDisruptionBudgets".
    std::string_view purpose;
    std::string_view field_selector{};
    /// Decisions are possible without this kind if the server lacks it: pods that need such storage
    /// fit nowhere, and pods belong to no Service.
    bool is_optional = false;
};

/// One entry for each kind that find_kind() knows.
std::span<const CachedKind> cached_kinds() noexcept;

/// Decodes the objects of one kind into the shared builder. An object that cannot be decoded leaves
/// its last version in the builder, and counts as unreadable until it can be decoded. Removing it
/// would be dangerous: without its pod a node looks free to be removed, and without its node a
/// machine looks as if it had never joined.
class ObjectCache final : public KindStore {
public:
    using OnProblem = std::function<void(const Error&)>;
    /// Borrows `kind` and `publisher`.
    ObjectCache(const objects::ObjectKind& kind, CachePublisher& publisher, OnProblem on_problem);

    void begin_replace() override;
    void finish_replace() override;
    void set(const boost::json::value& object) override;
    void remove(const boost::json::value& object) override;
    void settle() override { publisher_.settle(); }

    bool is_replacing() const noexcept { return is_replacing_; }
    std::size_t unreadable() const noexcept { return unreadable_.size(); }
    /// The last version of the object of that name, "shop/web", could not be decoded.
    bool is_unreadable(const std::string& name) const { return unreadable_.contains(name); }
    /// Since when the scheduler has found no node for the pod of that name, by the server's clock.
    /// Absent: the pod is not unschedulable as far as is known, or this is not the cache of pods.
    std::optional<Time> unschedulable_since(const std::string& name) const;

private:
    using Names = std::unordered_set<std::string>;  // looked up only; their order decides nothing

    void remove_unseen();
    void note_waiting(const std::string& name, const boost::json::value& pod);
    void report(const std::string& name, const JsonProblems& problems, bool is_loaded);

    const objects::ObjectKind& kind_;
    CachePublisher& publisher_;
    OnProblem on_problem_;
    bool is_replacing_ = false;
    bool may_have_old_ = false;  ///< the builder may have objects from before the present list
    Names seen_{};               ///< in the present list
    Names reported_{};           ///< objects with a reported problem
    Names unreadable_{};
    std::unordered_map<std::string, Time> unschedulable_{};  ///< since when, by pod name
};

}  // namespace capstan::kubernetes::client
