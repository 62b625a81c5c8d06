#include "simulation/live/live_events.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/sentence.hpp>

#include "simulation/control_plane/nodes/node_object.hpp"
#include "simulation/live/balancers.hpp"

namespace capstan::simulation::live {
namespace {

/// What happens within this time is told together.
constexpr Duration one_moment = std::chrono::milliseconds(400);
constexpr std::string_view to_be_deleted = "ToBeDeletedByClusterAutoscaler";

/// Whose pod it is, as scenarios and most people label them.
std::string app_of(const json::object& pod) {
    const std::string_view app = api_server::text_at(pod, "metadata.labels.app");
    return std::string(app.empty() ? api_server::text_at(pod, "metadata.name") : app);
}

bool is_daemon(const json::object& pod) {
    const json::array* const owners = api_server::find_array(pod, "metadata.ownerReferences");
    if (owners == nullptr) return false;
    return std::ranges::any_of(*owners, [](const json::value& owner) {
        return owner.is_object() && api_server::text_at(owner.get_object(), "kind") == "DaemonSet";
    });
}

bool is_over(const json::object& pod) {
    const std::string_view phase = api_server::text_at(pod, "status.phase");
    return phase == "Succeeded" || phase == "Failed";
}

bool is_drained(const json::object& node) {
    const json::array* const taints = api_server::find_array(node, "spec.taints");
    if (taints == nullptr) return false;
    return std::ranges::any_of(*taints, [](const json::value& taint) {
        return taint.is_object() && api_server::text_at(taint.get_object(), "key") == to_be_deleted;
    });
}

bool is_cordoned(const json::object& node) {
    return api_server::is_true_at(node, "spec.unschedulable");
}

}  // namespace

LiveEvents::LiveEvents(api_server::ObjectStore& store, TellLive tell)
    : store_(store), tell_(std::move(tell)) {
    follow("pods", &LiveEvents::take_pod);
    follow("nodes", &LiveEvents::take_node);
    follow("events", &LiveEvents::take_event);
    if (store.kinds().find(balancers_resource) != nullptr)
        follow(balancers_resource, &LiveEvents::take_balancer);
}

LiveEvents::~LiveEvents() {
    if (timer_) store_.loop().cancel(*timer_);
}

void LiveEvents::follow(std::string_view resource,
                        void (LiveEvents::*take)(const api_server::Change&)) {
    // A reader that falls behind goes on with what comes next: a story may have a gap.
    auto opened = store_.subscribe(
        store_.kind(resource), store_.revision(),
        {[this, take](const api_server::Change& change) { (this->*take)(change); },
         [this, resource = std::string(resource), take] { follow(resource, take); }});
    if (opened) subscriptions_.push_back(std::move(*opened));
}

void LiveEvents::take_pod(const api_server::Change& change) {
    const json::object& pod = *change.object;
    if (is_daemon(pod)) return;
    const std::string key = api_server::object_key(pod);
    App& app = apps_[app_of(pod)];
    for (auto* const pods : {&app.waiting, &app.placed, &app.ending}) pods->erase(key);
    app.has_changed = true;
    tell_soon();
    if (change.type == api_server::ChangeType::deleted || is_over(pod)) return;
    const bool is_ending = api_server::find_value(pod, "metadata.deletionTimestamp") != nullptr;
    const bool has_node = !api_server::text_at(pod, "spec.nodeName").empty();
    (is_ending ? app.ending : has_node ? app.placed : app.waiting).insert(key);
}

void LiveEvents::take_node(const api_server::Change& change) {
    const json::object& node = *change.object;
    const std::string name(api_server::text_at(node, "metadata.name"));
    if (change.type == api_server::ChangeType::deleted) return say_of_node("gone", name);
    if (change.type == api_server::ChangeType::added) say_of_node("joined", name);
    const auto became = [&](bool (*is_so)(const json::object&)) {
        return is_so(node) && (change.before == nullptr || !is_so(*change.before));
    };
    if (became(control_plane::is_node_ready)) say_of_node("ready", name);
    if (became(is_drained)) {
        say_of_node("being drained", name);
    } else if (became(is_cordoned) && !is_drained(node)) {
        say_of_node("cordoned", name);
    }
    if (change.before == nullptr) return;
    if (control_plane::is_node_ready(*change.before) && !control_plane::is_node_ready(node))
        say_of_node("not ready", name);
    if (is_drained(*change.before) && !is_drained(node)) say_of_node("kept after all", name);
}

/// Of the autoscaler's events those about the cluster, and about Balancers, which may come again;
/// those about each pod would be many.
void LiveEvents::take_event(const api_server::Change& change) {
    const json::object& event = *change.object;
    const std::string_view about = api_server::text_at(event, "involvedObject.kind");
    if (about == "Balancer" && change.type != api_server::ChangeType::deleted) {
        const std::string name(api_server::text_at(event, "involvedObject.name"));
        return tell_(
            {"balancer", name,
             "balancer " + name + ": " + std::string(api_server::text_at(event, "message"))});
    }
    if (change.type != api_server::ChangeType::added || about != "ConfigMap") return;
    const std::string reason(api_server::text_at(event, "reason"));
    tell_({"autoscaler", reason,
           "autoscaler: " + std::string(api_server::text_at(event, "message"))});
}

void LiveEvents::take_balancer(const api_server::Change& change) {
    balancers_[api_server::object_key(*change.object)].second =
        change.type == api_server::ChangeType::deleted ? "" : text_of_balancer(*change.object);
    tell_soon();
}

void LiveEvents::flush_balancers() {
    for (auto& [name, text] : balancers_) {
        auto& [told, now] = text;
        if (now.empty() || now == told) continue;
        told = now;
        tell_({"balancer", name, now});
    }
}

void LiveEvents::say_of_node(const std::string& what, const std::string& node) {
    const auto known = std::ranges::find(nodes_, what, [](const auto& said) { return said.first; });
    if (known == nodes_.end()) {
        nodes_.push_back({what, {node}});
    } else {
        known->second.push_back(node);
    }
    tell_soon();
}

void LiveEvents::tell_soon() {
    if (timer_) return;
    timer_ = store_.loop().after(one_moment, [this] {
        timer_.reset();
        flush();
    });
}

void LiveEvents::flush() {
    flush_nodes();
    for (auto& [name, app] : apps_) {
        if (std::exchange(app.has_changed, false)) flush_app(name, app);
    }
    flush_balancers();
}

void LiveEvents::flush_nodes() {
    for (auto& [what, names] : std::exchange(nodes_, {})) {
        std::ranges::sort(names);
        const std::string who = listed(names, [](const std::string& name) { return name; }, 6);
        const bool is_one = names.size() == 1;
        const std::string verb = what == "joined" ? " " : is_one ? " is " : " are ";
        tell_({"nodes", is_one ? names.front() : "",
               (is_one ? "node " : "nodes ") + who + verb + what});
    }
}

void LiveEvents::flush_app(const std::string& name, App& app) {
    std::string text = name + ": " + counted(std::ssize(app.placed), "pod") +
                       (app.placed.size() == 1 ? " has a node" : " have nodes");
    if (!app.waiting.empty())
        text += ", " + std::to_string(app.waiting.size()) +
                (app.waiting.size() == 1 ? " waits for one" : " wait for one");
    if (!app.ending.empty()) text += ", " + std::to_string(app.ending.size()) + " on their way out";
    if (std::exchange(app.told, text) != text) tell_({"pods", name, text});
}

}  // namespace capstan::simulation::live
