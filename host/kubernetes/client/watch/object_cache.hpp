/// The kinds that a mirror follows.
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

#include "kubernetes/client/paths.hpp"
#include "kubernetes/client/watch/cache_publisher.hpp"
#include "kubernetes/client/watch/reflector.hpp"
#include "kubernetes/object_kinds.hpp"

namespace capstan::kubernetes::client {

struct CachedKind {
    ApiResource resource;
    /// What decisions use it for, after "needed to": "see the nodes".
    std::string_view purpose;
    std::string_view field_selector{};
    /// Decisions go on without it where a server has not got it: volumes that need what is not
    /// there fit nowhere, and pods belong to no Service.
    bool is_optional = false;
};

/// One for each that find_kind() knows.
std::span<const CachedKind> cached_kinds() noexcept;

// Objects of one kind on their way into the builder.

/// An object that cannot be decoded leaves its last version where it is, be it right or not, and is
/// reported until it can be read: a pod that were taken away would free its node for removal, and a
/// node would seem to be a machine that never joined.
class ObjectCache final : public KindStore {
public:
    using OnProblem = std::function<void(const Error&)>;
    /// Borrows both.
    ObjectCache(const ObjectKind& kind, CachePublisher& feed, OnProblem on_problem);

    void begin_replace() override;
    void finish_replace() override;
    void set(const boost::json::value& object) override;
    void remove(const boost::json::value& object) override;
    void settle() override { feed_.settle(); }

    bool is_replacing() const noexcept { return is_replacing_; }
    std::size_t unreadable() const noexcept { return unreadable_.size(); }
    /// The last version of the object of that name, "shop/web", could not be decoded.
    bool is_unreadable(const std::string& name) const { return unreadable_.contains(name); }
    /// Since when the scheduler has found no node for the pod of that name, by the server's clock;
    /// nothing: it is not known to, or the kind is another.
    std::optional<Time> unschedulable_since(const std::string& name) const;

private:
    using Names = std::unordered_set<std::string>;  // looked up only; their order decides nothing

    void remove_unseen();
    void note_waiting(const std::string& name, const boost::json::value& pod);
    void report(const std::string& name, const JsonProblems& problems, bool is_loaded);

    const ObjectKind& kind_;
    CachePublisher& feed_;
    OnProblem on_problem_;
    bool is_replacing_ = false;
    bool may_have_old_ = false;  ///< objects from before the present list
    Names seen_{};               ///< in the present list
    Names reported_{};           ///< of which some part could not be read
    Names unreadable_{};
    std::unordered_map<std::string, Time> unschedulable_{};  ///< since when, by name
};

}  // namespace capstan::kubernetes::client
