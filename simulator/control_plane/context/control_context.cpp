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
    feed_.listen_to_all(
        [this](const api_server::ResourceKind& kind, const api_server::Change& change) {
            index_.note(kind, api_server::namespace_of(*change.object),
                        api_server::name_of(*change.object));
        });
}

Duration ControlContext::paced(Duration real) const {
    // A longer delay never ends in practice, and would overflow into a time in the past.
    constexpr Duration longest = std::chrono::hours(24 * 365 * 20);
    const double paced = static_cast<double>(real.count()) / options_.speed;
    const auto bound = static_cast<double>(longest.count());
    return Duration(std::llround(std::clamp(paced, -bound, bound)));
}

api_server::ApiObject ControlContext::find(std::string_view resource, std::string_view key) const {
    const auto [space, name] = split_key(key);
    return store_.find(kind(resource), space, name);
}

api_server::ApiObject ControlContext::create(std::string_view resource, std::string_view space,
                                             json::object object, std::string* refusal) {
    const api_server::ResourceKind& kind = this->kind(resource);
    const auto made = store_.create(kind, space, std::move(object));
    if (!made) {
        if (refusal != nullptr) *refusal = made.error().message;
        return nullptr;
    }
    index_.note(kind, space, api_server::name_of(**made));
    return *made;
}

api_server::ApiObject ControlContext::edit(std::string_view resource, const json::object& object,
                                           const std::function<void(json::object&)>& change,
                                           api_server::ObjectPart part) {
    const api_server::ResourceKind& kind = this->kind(resource);
    const std::string_view space = api_server::namespace_of(object);
    const std::string_view name = api_server::name_of(object);
    const auto change_current = [&](json::object& fresh) {
        fresh.at("metadata").as_object().erase("resourceVersion");
        api_server::make_object(fresh, "metadata")["uid"] =
            api_server::json_view(api_server::uid_of(object));
        change(fresh);
    };
    const auto stored = store_.edit(kind, space, name, change_current, {.part = part});
    if (!stored) return nullptr;
    index_.note(kind, space, name);
    return *stored;
}

void ControlContext::remove(std::string_view resource, const json::object& object,
                            api_server::RemoveOptions options) {
    const api_server::ResourceKind& kind = this->kind(resource);
    const std::string_view space = api_server::namespace_of(object);
    const std::string_view name = api_server::name_of(object);
    options.uid = api_server::uid_of(object);
    if (store_.remove(kind, space, name, options)) index_.note(kind, space, name);
}

namespace {

constexpr Duration event_ttl = std::chrono::hours(1);

std::string id_of(const json::object& object, const ControllerEvents::Event& event) {
    return std::string(api_server::uid_of(object))
        .append("\n")
        .append(event.reason)
        .append("\n")
        .append(event.message);
}

json::object reference_to(const api_server::ResourceKind& kind, const json::object& object) {
    json::object out{{"kind", kind.kind},
                     {"apiVersion", kind.api_version()},
                     {"name", api_server::json_view(api_server::name_of(object))},
                     {"uid", api_server::json_view(api_server::uid_of(object))},
                     {"resourceVersion", api_server::json_view(api_server::text_at(
                                             object, "metadata.resourceVersion"))}};
    if (kind.namespaced) out["namespace"] = api_server::json_view(api_server::namespace_of(object));
    return out;
}

std::string event_name(const json::object& object, std::uint64_t number) {
    return std::string(api_server::name_of(object)) + "." + hex_text(number);
}

}  // namespace

void ControllerEvents::record(const api_server::ResourceKind& kind, const json::object& object,
                              const Event& event) {
    delete_expired();
    const std::string id = id_of(object, event);
    const Time now = store_.now();
    const auto again = [&](json::object& fresh) {
        fresh["count"] = api_server::integer_at(fresh, "count").value_or(1) + 1;
        fresh["lastTimestamp"] = format_rfc3339(now, 0);
    };
    const auto before = recorded_.find(id);
    const bool is_again =
        before != recorded_.end() &&
        store_.edit(store_.kind("events"), before->second.space, before->second.name, again,
                    {.part = api_server::ObjectPart::everything});
    if (!is_again) write(kind, object, event, id);
    by_time_.emplace_back(now, id);
    recorded_[id].last = now;
}

void ControllerEvents::write(const api_server::ResourceKind& kind, const json::object& object,
                             const Event& event, const std::string& id) {
    RecordedEvent& recorded = recorded_[id];
    recorded.space = kind.namespaced ? api_server::namespace_of(object) : "default";
    recorded.name = event_name(object, ++last_number_);
    const std::string now = format_rfc3339(store_.now(), 0);
    json::object out{
        {"metadata", json::object{{"name", recorded.name}}},
        {"involvedObject", reference_to(kind, object)},
        {"reason", api_server::json_view(event.reason)},
        {"message", event.message},
        {"source", json::object{{"component", api_server::json_view(event.component)}}},
        {"reportingComponent", api_server::json_view(event.component)},
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
