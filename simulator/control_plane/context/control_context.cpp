#include "simulator/control_plane/context/control_context.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>
#include <utility>

#include <boost/assert.hpp>

#include <capstan/ascii.hpp>
#include <capstan/time_text.hpp>

#include "simulator/control_plane/context/object_fields.hpp"

namespace capstan::simulator::control_plane {
namespace {

std::pair<std::string_view, std::string_view> split_key(std::string_view key) {
    const std::size_t slash = key.find('/');
    return {key.substr(0, slash), key.substr(slash + 1)};
}

}  // namespace

ControlContext::ControlContext(api_server::ObjectStore& store, ControlPlaneOptions options)
    : store_(store), options_(std::move(options)), feed_(store), index_(store), events_(store) {
    feed_.listen_to_all([this](const ResourceKind& kind, const Change& change) {
        index_.note(kind, namespace_of(*change.object), name_of(*change.object));
    });
}

Duration ControlContext::paced(Duration real) const {
    // A longer delay never ends in practice, and would overflow into a time in the past.
    constexpr Duration longest = std::chrono::hours(24 * 365 * 20);
    const double paced = static_cast<double>(real.count()) / options_.speed;
    const auto bound = static_cast<double>(longest.count());
    return Duration(std::llround(std::clamp(paced, -bound, bound)));
}

ApiObject ControlContext::find(std::string_view resource, std::string_view key) const {
    const auto [space, name] = split_key(key);
    return store_.find(kind(resource), space, name);
}

ApiObject ControlContext::create(std::string_view resource, std::string_view space,
                                 json::object object, std::string* refusal) {
    const ResourceKind& kind = this->kind(resource);
    const auto made = store_.create(kind, space, std::move(object));
    if (!made) {
        if (refusal != nullptr) *refusal = made.error().message;
        return nullptr;
    }
    index_.note(kind, space, name_of(**made));
    return *made;
}

ApiObject ControlContext::edit(std::string_view resource, const json::object& object,
                               const std::function<void(json::object&)>& change, ObjectPart part) {
    const ResourceKind& kind = this->kind(resource);
    const std::string_view space = namespace_of(object);
    const std::string_view name = name_of(object);
    const auto change_current = [&](json::object& fresh) {
        fresh.at("metadata").as_object().erase("resourceVersion");
        make_object(fresh, "metadata")["uid"] = json_view(uid_of(object));
        change(fresh);
    };
    const auto stored = store_.edit(kind, space, name, change_current, {.part = part});
    if (!stored) return nullptr;
    index_.note(kind, space, name);
    return *stored;
}

void ControlContext::remove(std::string_view resource, const json::object& object,
                            api_server::RemoveOptions options) {
    const ResourceKind& kind = this->kind(resource);
    const std::string_view space = namespace_of(object);
    const std::string_view name = name_of(object);
    options.uid = uid_of(object);
    if (store_.remove(kind, space, name, options)) index_.note(kind, space, name);
}

namespace {

constexpr Duration event_ttl = std::chrono::hours(1);

std::string id_of(const json::object& object, const ControllerEvents::Event& event) {
    return std::string(uid_of(object))
        .append("\n")
        .append(event.reason)
        .append("\n")
        .append(event.message);
}

json::object reference_to(const ResourceKind& kind, const json::object& object) {
    json::object out{{"kind", kind.kind},
                     {"apiVersion", kind.api_version()},
                     {"name", json_view(name_of(object))},
                     {"uid", json_view(uid_of(object))},
                     {"resourceVersion", json_view(text_at(object, "metadata.resourceVersion"))}};
    if (kind.namespaced) out["namespace"] = json_view(namespace_of(object));
    return out;
}

std::string event_name(const json::object& object, std::uint64_t number) {
    return std::string(name_of(object)) + "." + hex_text(number);
}

}  // namespace

void ControllerEvents::record(const ResourceKind& kind, const json::object& object,
                              const Event& event) {
    delete_expired();
    const std::string id = id_of(object, event);
    const Time now = store_.now();
    const auto again = [&](json::object& fresh) {
        fresh["count"] = integer_at(fresh, "count").value_or(1) + 1;
        fresh["lastTimestamp"] = format_rfc3339(now, 0);
    };
    const auto before = recorded_.find(id);
    const bool is_again = before != recorded_.end() &&
                          store_.edit(store_.kind("events"), before->second.space,
                                      before->second.name, again, {.part = ObjectPart::everything});
    if (!is_again) write(kind, object, event, id);
    by_time_.emplace_back(now, id);
    recorded_[id].last = now;
}

void ControllerEvents::write(const ResourceKind& kind, const json::object& object,
                             const Event& event, const std::string& id) {
    RecordedEvent& recorded = recorded_[id];
    recorded.space = kind.namespaced ? namespace_of(object) : "default";
    recorded.name = event_name(object, ++last_number_);
    const std::string now = format_rfc3339(store_.now(), 0);
    json::object out{
        {"metadata", json::object{{"name", recorded.name}}},
        {"involvedObject", reference_to(kind, object)},
        {"reason", json_view(event.reason)},
        {"message", event.message},
        {"source", json::object{{"component", json_view(event.component)}}},
        {"reportingComponent", json_view(event.component)},
        {"type", event.is_warning ? "Warning" : "Normal"},
        {"firstTimestamp", now},
        {"lastTimestamp", now},
        {"count", 1},
    };
    // Refused if the namespace is deleted.
    std::ignore = store_.create(store_.kind("events"), recorded.space, std::move(out));
}

void ControllerEvents::delete_expired() {
    const Time until = store_.now() - event_ttl;
    for (; !by_time_.empty() && by_time_.front().first <= until; by_time_.pop_front()) {
        const auto recorded = recorded_.find(by_time_.front().second);
        if (recorded == recorded_.end() || recorded->second.last > until) continue;
        std::ignore =
            store_.remove(store_.kind("events"), recorded->second.space, recorded->second.name);
        recorded_.erase(recorded);
    }
}

// The feed and the index.

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
