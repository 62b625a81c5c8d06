#include "simulation/control_plane/scheduling/scheduling_view.hpp"

#include <utility>

#include "kubernetes/object_kinds.hpp"
#include "simulation/control_plane/nodes/node_object.hpp"

namespace capstan::simulation::control_plane {
namespace {

/// Of controllers and Services it matters which pods they select, and only where pods are spread
/// by that.
bool is_for_default_spread(const api_server::ResourceKind& kind) {
    return (kind.group.empty() &&
            (kind.kind == "Service" || kind.kind == "ReplicationController")) ||
           (kind.group == "apps" && (kind.kind == "ReplicaSet" || kind.kind == "StatefulSet"));
}

bool is_for_scheduling(const api_server::ResourceKind& kind, const ControlPlaneOptions& options) {
    if (kind.group == "storage.k8s.io") return true;
    if (!options.default_spread.empty() && is_for_default_spread(kind)) return true;
    return kind.group.empty() &&
           (kind.kind == "Pod" || kind.kind == "Node" || kind.kind == "Namespace" ||
            kind.kind == "PersistentVolume" || kind.kind == "PersistentVolumeClaim");
}

}  // namespace

SchedulingView::SchedulingView(ControlContext& context, std::function<void()> changed)
    : context_(context), changed_(std::move(changed)) {
    context.feed().listen_to_all(
        [this](const api_server::ResourceKind& kind, const api_server::Change& change) {
            if (is_for_scheduling(kind, context_.options())) follow(kind, change);
        });
}

void SchedulingView::follow(const api_server::ResourceKind& kind,
                            const api_server::Change& change) {
    const auto* known = kubernetes::find_kind(kind.kind, kind.api_version());
    if (known == nullptr) return;
    const std::uint64_t before = builder_.changes();
    const std::string_view space = api_server::text_at(*change.object, "metadata.namespace");
    const std::string_view name = api_server::text_at(*change.object, "metadata.name");
    // What is there now: a pod that got its node since must not be without one again.
    if (const api_server::ApiObject object = context_.store().find(kind, space, name)) {
        load(kind, *object);
    } else {
        builder_.remove(known->object, space, name);
    }
    if (builder_.changes() != before) changed_();
}

void SchedulingView::load(const api_server::ResourceKind& kind, const json::object& object) {
    json::value document = object;
    // A node's taints come right behind the node; no pod may be bound in between.
    if (kind.kind == "Node") set_condition_taints(document.get_object(), context_.now());
    kubernetes::JsonProblems problems(document);
    kubernetes::find_kind(kind.kind, kind.api_version())->load(problems.root(), builder_);
}

void SchedulingView::bind(const json::object& pod, std::string_view node) {
    builder_.bind_pod(api_server::text_at(pod, "metadata.namespace"),
                      api_server::text_at(pod, "metadata.name"), node);
}

}  // namespace capstan::simulation::control_plane
