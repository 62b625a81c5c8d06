/// A cluster as a test wants it: objects in memory with versions, conflicts and watches.
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

/// As an API server, as far as a plugin sees of one: uids and resourceVersions that rise, refusals
/// with their reasons, label selectors, field selectors, pages, preconditions, dry runs, merge
/// patches (of a strategic one and of server-side apply it makes the same; a JSON patch is
/// unsupported), the subresources status and scale (with spec.selector as its selector). It checks
/// no schema, fills nothing in and runs no controllers.
class FakeKube {
public:
    /// Serves nodes, pods, configmaps, deployments (with scale) from the start.
    FakeKube();
    /// One more kind.
    FakeKube& serve(KubeResource resource, bool has_scale = false);

    /// Another client's write: as it is written here, with a new version. The stored object.
    Json put(const KubeResource& resource, Json object);
    FakeKube& put_text(const KubeResource& resource, std::string_view json);
    /// Another client's. False: it is not there.
    bool remove(const KubeResource& resource, std::string_view ns, std::string_view name);
    std::optional<Json> find(const KubeResource& resource, std::string_view ns,
                             std::string_view name) const;
    /// By namespace and name.
    std::vector<Json> objects(const KubeResource& resource) const;

    /// As in `grants.kube`, without namespaces: "nodes:get,list". Without a call of this one,
    /// everything.
    FakeKube& grant(std::string_view text);
    /// The next so many requests of that verb on that resource fail. Those before it come first.
    FakeKube& fail(KubeVerb verb, std::string plural, Error error, int times = 1);
    /// From now on what is asked of that object takes so long; past the request's own time it comes
    /// to nothing. Zero: it answers at once again.
    FakeKube& slow(std::string plural, std::string name, Duration by);
    /// Every watch is in trouble until the next thing happens.
    void trouble(const Error& error);

    /// All requests so far, in order, also those that were refused.
    const std::vector<KubeRequest>& requests() const noexcept { return requests_; }
    const std::vector<KubeNote>& notes() const noexcept { return notes_; }
    std::size_t open_watches() const noexcept { return watches_.size(); }

    // For the fake host.
    using Listener =
        std::function<void(KubeEvent::Type type, const std::string& object, const Error& error)>;
    Result<std::string> carry_out(const KubeRequest& request);
    /// How long an answer takes, of the request's own time.
    Duration delay_of(const KubeRequest& request) const;
    Result<KubeResource> resolve(std::string_view api_version, std::string_view kind) const;
    Result<void> record(KubeNote note);
    /// Tells what is there, and then what happens.
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
