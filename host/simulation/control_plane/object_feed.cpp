#include "simulation/control_plane/object_feed.hpp"

#include <utility>

#include <boost/assert.hpp>

namespace capstan::simulation {

void ObjectFeed::listen(std::string_view resource, Listener listener) {
    BOOST_ASSERT(store_.kinds().find(resource) != nullptr);
    listeners_.emplace_back(
        resource, [listener = std::move(listener)](const ResourceKind&, const Change& change) {
            listener(change);
        });
}

void ObjectFeed::listen_to_all(KindListener listener) {
    listeners_.emplace_back(std::string(), std::move(listener));
}

void ObjectFeed::start() {
    follow_new_kinds();
    // A definition brings kinds as soon as the server has read it, which is told by then or at the
    // definition's next change: its status.
    listen("customresourcedefinitions.apiextensions.k8s.io",
           [this](const Change&) { follow_new_kinds(); });
}

void ObjectFeed::follow_new_kinds() {
    for (const KindPtr& kind : std::vector(store_.kinds().all())) {
        const auto [watch, is_new] = watches_.try_emplace(kind->resource());
        watch->second.kind = kind;
        if (is_new) follow(watch->second);
    }
}

void ObjectFeed::follow(Watch& watch) {
    const Listing listing = store_.list(*watch.kind);
    std::map<std::string, ApiObject> gone = watch.known;
    for (const ApiObject& object : listing.items) gone.erase(object_key(*object));
    for (const auto& [key, object] : gone)
        tell(watch, {listing.revision, ChangeType::deleted, object, object});
    for (const ApiObject& object : listing.items)
        tell(watch, {listing.revision, ChangeType::added, object, nullptr});
    auto made = store_.subscribe(*watch.kind, listing.revision,
                                 {[this, &watch](const Change& change) { tell(watch, change); },
                                  [this, &watch] { follow(watch); }});
    BOOST_ASSERT(made.has_value());
    watch.subscription = std::move(*made);
}

void ObjectFeed::tell(Watch& watch, const Change& change) {
    const std::string key = object_key(*change.object);
    if (change.type == ChangeType::deleted) {
        watch.known.erase(key);
    } else {
        watch.known[key] = change.object;
    }
    const std::string resource = watch.kind->resource();
    for (const auto& [name, listener] : listeners_)
        if (name.empty() || name == resource) listener(*watch.kind, change);
}

}  // namespace capstan::simulation
