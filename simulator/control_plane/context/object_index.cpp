#include "simulator/control_plane/context/object_index.hpp"

#include <utility>

#include <boost/assert.hpp>

#include "simulator/control_plane/context/object_fields.hpp"

namespace capstan::simulator::control_plane {

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
    // The server adds the kinds of a definition when it processes the change, possibly after this
    // listener. It then writes the definition's status, and that change calls the listener again.
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
    const api_server::Listing listing = store_.list(*watch.kind);
    std::map<std::string, ApiObject> gone = watch.objects;
    for (const ApiObject& object : listing.items) gone.erase(object_key(*object));
    for (const auto& [key, object] : gone)
        notify(watch, {listing.revision, ChangeType::deleted, object, object});
    for (const ApiObject& object : listing.items)
        notify(watch, {listing.revision, ChangeType::added, object, nullptr});
    auto made = store_.subscribe(*watch.kind, listing.revision,
                                 {[this, &watch](const Change& change) { notify(watch, change); },
                                  [this, &watch] { follow(watch); }});
    BOOST_ASSERT(made.has_value());
    watch.subscription = std::move(*made);
}

void ObjectFeed::notify(Watch& watch, const Change& change) {
    const std::string key = object_key(*change.object);
    if (change.type == ChangeType::deleted) {
        watch.objects.erase(key);
    } else {
        watch.objects[key] = change.object;
    }
    const std::string resource = watch.kind->resource();
    for (const auto& [name, listener] : listeners_)
        if (name.empty() || name == resource) listener(*watch.kind, change);
}

namespace {

/// `relation`: how objects are related to `of`: "uid", "owner", "controller", "orphan" or "node".
std::string make_index_key(std::string_view relation, std::string_view of,
                           std::string_view resource = {}) {
    return std::string(relation).append("/").append(of).append("/").append(resource);
}

/// Whether controllers adopt objects of the resource.
bool is_adoptable(std::string_view resource) {
    return resource == "pods" || resource == "replicasets.apps" ||
           resource == "controllerrevisions.apps";
}

/// The keys under which the index has an object.
std::vector<std::string> index_keys(const std::string& resource, const json::object& object) {
    std::vector<std::string> out{make_index_key("uid", uid_of(object))};
    for (const json::object* owner : owners_of(object))
        out.push_back(make_index_key("owner", text_at(*owner, "uid")));
    if (const json::object* controller = find_controller(object)) {
        out.push_back(make_index_key("controller", text_at(*controller, "uid"), resource));
    } else if (is_adoptable(resource)) {
        out.push_back(make_index_key("orphan", namespace_of(object), resource));
    }
    if (const std::string_view node = text_at(object, "spec.nodeName");
        resource == "pods" && !node.empty())
        out.push_back(make_index_key("node", node));
    return out;
}

}  // namespace

void ObjectIndex::note(const ResourceKind& kind, std::string_view space, std::string_view name) {
    const ObjectName full{kind.resource(), std::string(space), std::string(name)};
    const ApiObject object = store_.find(kind, space, name);
    std::vector<std::string> fresh;
    if (object != nullptr) fresh = index_keys(full.resource, *object);
    const auto indexed = keys_of_.find(full);
    if (indexed != keys_of_.end()) {
        if (indexed->second == fresh) return;
        for (const std::string& key : indexed->second)
            if (Names& names = names_by_key_[key]; names.erase(full) > 0 && names.empty())
                names_by_key_.erase(key);
        keys_of_.erase(indexed);
    }
    if (object == nullptr) return;
    for (const std::string& key : fresh) names_by_key_[key].insert(full);
    keys_of_.emplace(full, std::move(fresh));
}

std::vector<ObjectName> ObjectIndex::names_in(const std::string& key) const {
    const auto found = names_by_key_.find(key);
    if (found == names_by_key_.end()) return {};
    return {found->second.begin(), found->second.end()};
}

std::vector<ApiObject> ObjectIndex::objects_in(const std::string& key) const {
    std::vector<ApiObject> out;
    for (const ObjectName& full : names_in(key))
        if (ApiObject object = store_.find(store_.kind(full.resource), full.space, full.name))
            out.push_back(std::move(object));
    return out;
}

std::vector<ApiObject> ObjectIndex::controlled_by(std::string_view uid,
                                                  std::string_view resource) const {
    return objects_in(make_index_key("controller", uid, resource));
}

std::vector<ApiObject> ObjectIndex::without_controller(std::string_view space,
                                                       std::string_view resource) const {
    return objects_in(make_index_key("orphan", space, resource));
}

std::vector<ApiObject> ObjectIndex::pods_on(std::string_view node) const {
    return objects_in(make_index_key("node", node));
}

std::vector<ObjectName> ObjectIndex::dependents_of(std::string_view uid) const {
    return names_in(make_index_key("owner", uid));
}

std::vector<ObjectName> ObjectIndex::find_by_uid(std::string_view uid) const {
    return names_in(make_index_key("uid", uid));
}

}  // namespace capstan::simulator::control_plane
