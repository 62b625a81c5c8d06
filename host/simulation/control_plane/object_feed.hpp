/// Tells controllers of the store's objects: of those that are there, then of every change.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/api_server/object_store.hpp"

namespace capstan::simulation {

/// Listeners are told in the order in which they asked, of one kind in the order of revisions.
/// Where changes were forgotten before they were told, what is there is told again as added and
/// what is not as deleted. Kinds that come later are followed, too. [the loop's thread]
class ObjectFeed {
public:
    using Listener = std::function<void(const Change&)>;
    using KindListener = std::function<void(const ResourceKind&, const Change&)>;

    explicit ObjectFeed(ObjectStore& store) : store_(store) {}
    ObjectFeed(const ObjectFeed&) = delete;
    ObjectFeed& operator=(const ObjectFeed&) = delete;

    /// Before start(); `resource` is "pods" or "deployments.apps".
    void listen(std::string_view resource, Listener listener);
    /// The same for all kinds.
    void listen_to_all(KindListener listener);
    /// Tells of what is there.
    void start();

private:
    struct Watch {
        KindPtr kind{};
        std::map<std::string, ApiObject> known{};
        std::unique_ptr<Subscription> subscription{};
    };
    void follow_new_kinds();
    void follow(Watch& watch);
    void tell(Watch& watch, const Change& change);

    ObjectStore& store_;
    std::vector<std::pair<std::string, KindListener>> listeners_;  ///< empty name: all kinds
    std::map<std::string, Watch, std::less<>> watches_;
};

}  // namespace capstan::simulation
