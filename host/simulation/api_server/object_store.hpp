/// The objects of a cluster as an API server keeps them: one count of revisions for all, conflicts,
/// and what happened lately. Controllers, kubelets and the scheduler use it directly.
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
#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/resource_kinds.hpp"
#include "simulation/api_server/resource_storage.hpp"
#include "simulation/api_server/status_error.hpp"

namespace capstan::simulation::api_server {

/// Which part of an object a write is for; the others stay as they are.
enum class ObjectPart { all_but_status, status, everything };

struct WriteOptions {
    ObjectPart part = ObjectPart::all_but_status;
    bool is_dry_run = false;       ///< all checks, all defaults, and nothing kept
    std::string manager{};         ///< owner of the fields that change; empty: not recorded
    std::string subresource{};     ///< through which the manager came
    bool is_from_outside = false;  ///< checked for what people write, and controllers do not
};

struct RemoveOptions {
    std::string uid{}, resource_version{};  ///< empty: any
    std::optional<std::int64_t> grace_s{};  ///< of a pod; nothing: what it asks for
    std::string propagation{};              ///< "Foreground" and "Orphan" leave a finalizer
    bool is_dry_run = false;
};

struct Removed {
    ApiObject object{};
    bool is_gone = true;  ///< false: it has a deletionTimestamp now, and waits
};

struct Listing {
    std::vector<ApiObject> items{};  ///< by namespace, then name
    std::uint64_t revision = 0;
};

/// Objects that come back are never NULL. An empty namespace stands for all in lists, and for none
/// in kinds that have none. [the loop's thread]
class ObjectStore {
public:
    struct Options {
        std::uint64_t seed = 1;  ///< of uids and generated names
        std::size_t history =
            10'000;  ///< changes remembered of each resource, at least until they are told
    };
    /// Borrows `loop`. The namespaces that every cluster has are there.
    ObjectStore(io::Loop& loop, Options options);
    ObjectStore(const ObjectStore&) = delete;
    ObjectStore& operator=(const ObjectStore&) = delete;
    ~ObjectStore();

    ResourceKinds& kinds() noexcept { return kinds_; }
    const ResourceKinds& kinds() const noexcept { return kinds_; }
    /// By "pods" or "deployments.apps"; must be served.
    const ResourceKind& kind(std::string_view resource) const;
    Time now() const { return loop_.clock()->wall(); }
    io::Loop& loop() const noexcept { return loop_; }
    std::uint64_t revision() const noexcept { return revision_; }

    Answer<ApiObject> get(const ResourceKind& kind, std::string_view space,
                          std::string_view name) const;
    /// NULL: none.
    ApiObject find(const ResourceKind& kind, std::string_view space, std::string_view name) const;
    Listing list(const ResourceKind& kind, std::string_view space = {}) const;
    /// As it was; 410: that is forgotten, 504: not reached yet.
    Answer<Listing> list_at(const ResourceKind& kind, std::string_view space,
                            std::uint64_t revision) const;

    Answer<ApiObject> create(const ResourceKind& kind, std::string_view space, json::object object,
                             const WriteOptions& options = {});
    /// A metadata.resourceVersion or uid in `object` must be the present one. What stays the same
    /// gets no new revision. An object that waits for its end goes with its last finalizer.
    Answer<ApiObject> update(const ResourceKind& kind, std::string_view space,
                             std::string_view name, json::object object,
                             const WriteOptions& options = {});
    /// Changes what is there now. `change` writes nothing else to the store.
    Answer<ApiObject> edit(const ResourceKind& kind, std::string_view space, std::string_view name,
                           const std::function<void(json::object&)>& change,
                           const WriteOptions& options = {});
    Answer<Removed> remove(const ResourceKind& kind, std::string_view space, std::string_view name,
                           const RemoveOptions& options = {});

    /// All changes after that revision. 410: they are forgotten, 504: it is not reached yet.
    Answer<std::unique_ptr<Subscription>> subscribe(const ResourceKind& kind, std::uint64_t after,
                                                    Subscriber subscriber);
    /// Forgets what happened up to a revision.
    void compact(std::uint64_t revision);

private:
    ResourceStorage& shelf(const ResourceKind& kind) const;
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
    mutable std::map<std::string, std::unique_ptr<ResourceStorage>, std::less<>> shelves_;
};

}  // namespace capstan::simulation::api_server
