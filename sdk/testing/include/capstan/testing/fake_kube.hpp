/// A fake of capstan.kube/1: objects in memory with versions, conflicts and watches.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <capstan/json.hpp>
#include <capstan/kube.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// An event that was recorded about an object.
struct KubeNote {
    KubeReference about{};
    bool is_warning = false;
    std::string reason{}, message{};
};

/// Behaves like an API server, as far as a plugin can see: uids and rising resourceVersions, errors
/// with reasons, label selectors, field selectors, pages, preconditions, dry runs, merge patches,
/// and the subresources status and scale (with spec.selector as its selector). Strategic merge
/// patches and server-side apply are carried out as merge patches; a JSON patch is `unsupported`.
/// It checks no schema, sets no defaults and runs no controllers.
class FakeKube {
public:
    /// Serves nodes, pods, configmaps, deployments (with scale) from the start.
    FakeKube();
    /// Serves one more kind.
    FakeKube& serve(KubeResource resource, bool has_scale = false);

    /// Another client writes this object, which gets a new version. Returns the stored object.
    Json put(const KubeResource& resource, Json object);
    FakeKube& put_text(const KubeResource& resource, std::string_view json);
    /// Another client deletes the object. False: there is no such object.
    bool remove(const KubeResource& resource, std::string_view ns, std::string_view name);
    std::optional<Json> find(const KubeResource& resource, std::string_view ns,
                             std::string_view name) const;
    /// All objects of the resource, ordered by namespace and name.
    std::vector<Json> objects(const KubeResource& resource) const;

    /// Grants verbs, as in `grants.kube` but without namespaces: "nodes:get,list". The name of a
    /// subresource is part of the verb: "deployments.apps:get/scale". Without any call of this
    /// function all verbs are granted.
    FakeKube& grant(std::string_view text);
    /// The next `times` requests of that verb for that resource fail, after the failures of earlier
    /// calls.
    FakeKube& fail(KubeVerb verb, std::string plural, Error error, int times = 1);
    /// From now on requests for that object take `by`. A request with a shorter timeout fails with
    /// `deadline` and has no effect. Zero: no delay.
    FakeKube& slow(std::string plural, std::string name, Duration by);
    /// Reports `trouble` with that error to every watch. Its next event ends the trouble.
    void trouble(const Error& error);

    /// All requests so far, in order, also those that were refused.
    const std::vector<KubeRequest>& requests() const noexcept { return requests_; }
    const std::vector<KubeNote>& notes() const noexcept { return notes_; }
    std::size_t open_watches() const noexcept { return watches_.size(); }

    // For the fake host.
    using Listener =
        std::function<void(KubeEvent::Type type, const std::string& object, const Error& error)>;
    Result<std::string> carry_out(const KubeRequest& request);
    /// How long the answer takes, at most the timeout of the request.
    Duration delay_of(const KubeRequest& request) const;
    Result<KubeResource> resolve(std::string_view api_version, std::string_view kind) const;
    Result<void> record(KubeNote note);
    /// Calls `listener` for each existing object, then with `synced`, then for each change.
    Result<void> follow(std::uint64_t id, const KubeSelection& what, Listener listener);
    bool unfollow(std::uint64_t id) { return watches_.erase(id) > 0; }

private:
    using Key = std::tuple<std::string, std::string, std::string, std::string>;
    struct Planned {
        KubeVerb verb;
        std::string plural;
        Error error;
        int times;
    };
    struct Watch {
        KubeSelection what;
        Listener listener;
    };

    static Key key_of(const KubeResource& resource, std::string_view ns, std::string_view name);
    Result<void> check(const KubeRequest& request);
    Result<std::string> answer(const KubeRequest& request);
    Result<std::string> list(const KubeRequest& request) const;
    Result<std::string> create(const KubeRequest& request);
    Result<std::string> change(const KubeRequest& request);
    Result<std::string> remove(const KubeRequest& request);
    Result<Json> changed(const KubeRequest& request, const Json& stored, Json body) const;
    bool is_granted(const KubeResource& resource, std::string_view verb_and_below) const;
    const Json& store(const Key& key, Json object, const KubeResource& resource);
    bool erase(const Key& key);
    void notify(KubeEvent::Type type, const Key& key, const Json& object);

    std::vector<KubeResource> served_;
    std::set<std::string> scaled_;  ///< plurals
    std::map<Key, Json> objects_;   ///< by group, plural, namespace and name
    std::uint64_t version_ = 0;
    std::uint64_t last_uid_ = 0;
    bool is_trying_ = false;  ///< a dry run: watchers are not told
    std::set<std::string> granted_;
    std::vector<Planned> planned_;
    std::map<std::pair<std::string, std::string>, Duration> delays_;  ///< by plural and name
    std::vector<KubeRequest> requests_;
    std::vector<KubeNote> notes_;
    std::map<std::uint64_t, Watch> watches_;
};

}  // namespace testing
CAPSTAN_NAMESPACE_END
