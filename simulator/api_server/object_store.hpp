/// The objects of a cluster as an API server stores them: one counter of revisions for all objects,
/// optimistic concurrency, and a history of the latest changes, from which watches are served.
/// Controllers, kubelets and the scheduler use it directly.
///     store.edit(*pods, "default", "web-0", [](json::object& pod) { ... });
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/clock.hpp"
#include "io/loop.hpp"
#include "simulator/api_server/api_object.hpp"
#include "simulator/api_server/resource_kinds.hpp"
#include "simulator/api_server/resource_storage.hpp"
#include "simulator/api_server/status_error.hpp"

namespace capstan::simulator::api_server {

/// The part of an object that a write changes; the other parts stay as they are.
enum class ObjectPart { all_but_status, status, everything };

struct WriteOptions {
    ObjectPart part = ObjectPart::all_but_status;
    bool is_dry_run = false;        ///< all checks and all defaults, and nothing is stored
    std::string manager{};          ///< manager of the fields that change; empty: not recorded
    std::string subresource{};      ///< of the request, for the manager's entry
    bool is_from_outside = false;   ///< by a request: more is checked than for controllers
    std::optional<Time> created{};  ///< the creationTimestamp of a new object; absent: now
};

struct RemoveOptions {
    std::string uid{}, resource_version{};  ///< preconditions; empty: any
    std::optional<std::int64_t> grace_s{};  ///< of a pod; absent: the pod's own grace period
    std::string propagation{};              ///< "Foreground" and "Orphan" add a finalizer
    bool is_dry_run = false;
};

struct Removed {
    ApiObject object{};
    bool is_gone = true;  ///< false: the object is terminating
};

struct Listing {
    std::vector<ApiObject> items{};  ///< by namespace, then name
    std::uint64_t revision = 0;
};

/// Objects in an Answer are never NULL. An empty namespace means all namespaces in a list, and no
/// namespace for a kind that is not namespaced. [the loop's thread]
class ObjectStore {
public:
    struct Options {
        std::uint64_t seed = 1;  ///< of uids and generated names
        /// Changes of each resource that are remembered; more until all subscribers were called.
        std::size_t history = 10'000;
    };
    /// Borrows `loop`. Makes the namespaces that every cluster has.
    ObjectStore(io::Loop& loop, Options options);
    ObjectStore(const ObjectStore&) = delete;
    ObjectStore& operator=(const ObjectStore&) = delete;
    ~ObjectStore();

    ResourceKinds& kinds() noexcept { return kinds_; }
    const ResourceKinds& kinds() const noexcept { return kinds_; }
    /// The kind named "pods" or "deployments.apps"; it must be served.
    const ResourceKind& kind(std::string_view resource) const;
    Time now() const { return loop_.clock()->wall(); }
    io::Loop& loop() const noexcept { return loop_; }
    std::uint64_t revision() const noexcept { return revision_; }

    Answer<ApiObject> get(const ResourceKind& kind, std::string_view space,
                          std::string_view name) const;
    /// NULL: there is no such object.
    ApiObject find(const ResourceKind& kind, std::string_view space, std::string_view name) const;
    Listing list(const ResourceKind& kind, std::string_view space = {}) const;
    /// The list as of a revision. 410: the revision is older than the history; 504: the revision is
    /// not reached yet.
    Answer<Listing> list_at(const ResourceKind& kind, std::string_view space,
                            std::uint64_t revision) const;

    Answer<ApiObject> create(const ResourceKind& kind, std::string_view space, json::object object,
                             const WriteOptions& options = {});
    /// A metadata.resourceVersion or uid in `object` must be the current one, else 409. A write
    /// that changes nothing makes no new revision. A terminating object is deleted when a write
    /// removes its last finalizer.
    Answer<ApiObject> update(const ResourceKind& kind, std::string_view space,
                             std::string_view name, json::object object,
                             const WriteOptions& options = {});
    /// Applies `change` to a copy of the current object and stores the copy. `change` must not
    /// write to the store itself.
    Answer<ApiObject> edit(const ResourceKind& kind, std::string_view space, std::string_view name,
                           const std::function<void(json::object&)>& change,
                           const WriteOptions& options = {});
    /// Deletes an object, or marks it as terminating if it has finalizers or a grace period.
    Answer<Removed> remove(const ResourceKind& kind, std::string_view space, std::string_view name,
                           const RemoveOptions& options = {});

    /// Calls `subscriber` with all changes after that revision. 410: the revision is older than the
    /// history; 504: the revision is not reached yet.
    Answer<std::unique_ptr<Subscription>> subscribe(const ResourceKind& kind, std::uint64_t after,
                                                    Subscriber subscriber);
    /// Discards the history up to a revision.
    void compact(std::uint64_t revision);

private:
    ResourceStorage& storage_of(const ResourceKind& kind) const;
    Answer<void> check_space(const ResourceKind& kind, std::string_view space) const;
    Answer<void> check_revision(const ResourceKind& kind, std::uint64_t revision) const;
    Answer<void> name_new(const ResourceKind& kind, std::string_view space, json::object& object);
    Answer<ApiObject> replace(const ResourceKind& kind, const ApiObject& current,
                              json::object object, const WriteOptions& options);
    ApiObject keep(const ResourceKind& kind, ChangeType type, const json::object& object,
                   ApiObject before);
    ApiObject end(const ResourceKind& kind, const json::object& object, ApiObject before);
    void empty_space(std::string_view space);
    std::string make_uid();

    io::Loop& loop_;
    Options options_;
    io::RandomSource random_;
    ResourceKinds kinds_;
    std::uint64_t revision_ = 0;
    /// By resource.
    mutable std::map<std::string, std::unique_ptr<ResourceStorage>, std::less<>> storages_;
};

}  // namespace capstan::simulator::api_server
