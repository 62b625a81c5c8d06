#include "simulator/live/live_events.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/sentence.hpp>

#include "simulator/control_plane/nodes/node_object.hpp"
#include "simulator/live/manifests.hpp"

namespace capstan::simulator::live {
namespace {

/// Changes within this time are reported together.
constexpr Duration coalescing_interval = std::chrono::milliseconds(400);
constexpr std::string_view to_be_deleted = "ToBeDeletedByClusterAutoscaler";

/// The label `app` of a pod; its name if it has no such label.
std::string app_of(const json::object& pod) {
    const std::string_view app = api_server::text_at(pod, "metadata.labels.app");
    return std::string(app.empty() ? api_server::name_of(pod) : app);
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

/// "balancer web: 10 wanted, web-a 6 of 6 ready, web-b 4 of 4 ready"; empty: the Balancer has no
/// status yet.
std::string text_of_balancer(const json::object& balancer) {
    const json::array* const targets = api_server::find_array(balancer, "status.targets");
    if (targets == nullptr) return {};
    std::string out =
        "balancer " + std::string(api_server::name_of(balancer)) + ": " +
        std::to_string(api_server::integer_at(balancer, "spec.replicas").value_or(1)) + " wanted";
    for (const json::value& each : *targets) {
        const json::object& target = each.as_object();
        out += ", " + std::string(api_server::text_at(target, "name")) + " " +
               std::to_string(api_server::integer_at(target, "ready").value_or(0)) + " of " +
               std::to_string(api_server::integer_at(target, "replicas").value_or(0)) + " ready";
    }
    const auto add = [&](const char* member, const char* what) {
        const auto count =
            api_server::integer_at(balancer, std::string("status.") + member).value_or(0);
        if (count > 0) out += ", " + std::to_string(count) + what;
    };
    add("fallback", " as fallback for another target");
    add("missing", " more than wanted because of minimums");
    add("overflow", " without a target");
    return out;
}

}  // namespace

LiveEvents::LiveEvents(api_server::ObjectStore& store, ReportLive report)
    : store_(store), report_(std::move(report)) {
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
    // If the history no longer has the next change, the watch goes on with the current revision,
    // and the output has a gap.
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
    schedule_flush();
    if (change.type == api_server::ChangeType::deleted || is_over(pod)) return;
    const bool is_ending = api_server::find_value(pod, "metadata.deletionTimestamp") != nullptr;
    const bool has_node = !api_server::text_at(pod, "spec.nodeName").empty();
    (is_ending ? app.ending : has_node ? app.placed : app.waiting).insert(key);
}

void LiveEvents::take_node(const api_server::Change& change) {
    const json::object& node = *change.object;
    const std::string name(api_server::name_of(node));
    if (change.type == api_server::ChangeType::deleted) return add_node_event("deleted", name);
    if (change.type == api_server::ChangeType::added) add_node_event("joined", name);
    const auto became = [&](bool (*is_so)(const json::object&)) {
        return is_so(node) && (change.before == nullptr || !is_so(*change.before));
    };
    if (became(control_plane::is_node_ready)) add_node_event("ready", name);
    if (became(is_drained)) {
        add_node_event("being drained", name);
    } else if (became(is_cordoned) && !is_drained(node)) {
        add_node_event("cordoned", name);
    }
    if (change.before == nullptr) return;
    if (control_plane::is_node_ready(*change.before) && !control_plane::is_node_ready(node))
        add_node_event("not ready", name);
    if (is_drained(*change.before) && !is_drained(node))
        add_node_event("no longer being drained", name);
}

/// Reports the autoscaler's Events about the cluster (its ConfigMap) and about Balancers. Events
/// about single pods are left out, since there would be many.
void LiveEvents::take_event(const api_server::Change& change) {
    const json::object& event = *change.object;
    const std::string_view about = api_server::text_at(event, "involvedObject.kind");
    if (about == "Balancer" && change.type != api_server::ChangeType::deleted) {
        const std::string name(api_server::text_at(event, "involvedObject.name"));
        return report_(
            {"balancer", name,
             "balancer " + name + ": " + std::string(api_server::text_at(event, "message"))});
    }
    if (change.type != api_server::ChangeType::added || about != "ConfigMap") return;
    const std::string reason(api_server::text_at(event, "reason"));
    report_({"autoscaler", reason,
             "autoscaler: " + std::string(api_server::text_at(event, "message"))});
}

void LiveEvents::take_balancer(const api_server::Change& change) {
    balancers_[api_server::object_key(*change.object)].second =
        change.type == api_server::ChangeType::deleted ? "" : text_of_balancer(*change.object);
    schedule_flush();
}

void LiveEvents::flush_balancers() {
    for (auto& [name, text] : balancers_) {
        auto& [reported, now] = text;
        if (now.empty() || now == reported) continue;
        reported = now;
        report_({"balancer", name, now});
    }
}

void LiveEvents::add_node_event(const std::string& what, const std::string& node) {
    const auto found =
        std::ranges::find(nodes_, what, [](const auto& entry) { return entry.first; });
    if (found == nodes_.end()) {
        nodes_.push_back({what, {node}});
    } else {
        found->second.push_back(node);
    }
    schedule_flush();
}

void LiveEvents::schedule_flush() {
    if (timer_) return;
    timer_ = store_.loop().after(coalescing_interval, [this] {
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
        const std::string list = listed(names, [](const std::string& name) { return name; }, 6);
        const bool is_one = names.size() == 1;
        const std::string verb = what == "joined" ? " " : is_one ? " is " : " are ";
        report_({"nodes", is_one ? names.front() : "",
                 (is_one ? "node " : "nodes ") + list + verb + what});
    }
}

void LiveEvents::flush_app(const std::string& name, App& app) {
    std::string text = name + ": " + counted(std::ssize(app.placed), "pod") + " bound";
    if (!app.waiting.empty()) text += ", " + std::to_string(app.waiting.size()) + " pending";
    if (!app.ending.empty()) text += ", " + std::to_string(app.ending.size()) + " terminating";
    if (std::exchange(app.last_line, text) != text) report_({"pods", name, text});
}

}  // namespace capstan::simulator::live
