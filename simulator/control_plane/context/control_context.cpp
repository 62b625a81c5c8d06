#include "simulator/control_plane/context/control_context.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/time_text.hpp>

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

}  // namespace capstan::simulator::control_plane
