#include "simulation/control_plane/context/control_context.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace capstan::simulation::control_plane {
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
            index_.note(kind, api_server::text_at(*change.object, "metadata.namespace"),
                        api_server::text_at(*change.object, "metadata.name"));
        });
}

Duration ControlContext::paced(Duration real) const {
    // What is longer never happens, and must not become a moment in the past.
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
                                             json::object object) {
    const api_server::ResourceKind& kind = this->kind(resource);
    const auto made = store_.create(kind, space, std::move(object));
    if (!made) return nullptr;
    index_.note(kind, space, api_server::text_at(**made, "metadata.name"));
    return *made;
}

api_server::ApiObject ControlContext::edit(std::string_view resource, const json::object& object,
                                           const std::function<void(json::object&)>& change,
                                           api_server::ObjectPart part) {
    const api_server::ResourceKind& kind = this->kind(resource);
    const std::string_view space = api_server::text_at(object, "metadata.namespace");
    const std::string_view name = api_server::text_at(object, "metadata.name");
    const auto change_current = [&](json::object& fresh) {
        fresh.at("metadata").as_object().erase("resourceVersion");
        api_server::make_object(fresh, "metadata")["uid"] =
            api_server::json_view(api_server::text_at(object, "metadata.uid"));
        change(fresh);
    };
    const auto kept = store_.edit(kind, space, name, change_current, {.part = part});
    if (!kept) return nullptr;
    index_.note(kind, space, name);
    return *kept;
}

void ControlContext::remove(std::string_view resource, const json::object& object,
                            api_server::RemoveOptions options) {
    const api_server::ResourceKind& kind = this->kind(resource);
    const std::string_view space = api_server::text_at(object, "metadata.namespace");
    const std::string_view name = api_server::text_at(object, "metadata.name");
    options.uid = api_server::text_at(object, "metadata.uid");
    if (store_.remove(kind, space, name, options)) index_.note(kind, space, name);
}

}  // namespace capstan::simulation::control_plane
