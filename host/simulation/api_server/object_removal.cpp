/// How objects end: at once, after their grace, or when the last finalizer is gone.
#include <utility>

#include <capstan/time_text.hpp>

#include "simulation/api_server/object_checks.hpp"
#include "simulation/api_server/object_store.hpp"

namespace capstan::simulation::api_server {
namespace {

/// What a kubelet may still take to stop it. Nothing: no kubelet has to.
std::int64_t grace_of(const ResourceKind& kind, const json::object& object,
                      const RemoveOptions& options) {
    if (kind.resource() != "pods" || text_at(object, "spec.nodeName").empty()) return 0;
    const std::string_view phase = text_at(object, "status.phase");
    if (phase == "Succeeded" || phase == "Failed") return 0;
    const std::int64_t own = integer_at(object, "spec.terminationGracePeriodSeconds").value_or(30);
    return std::chrono::duration_cast<std::chrono::seconds>(
               bounded_seconds(options.grace_s.value_or(own)))
        .count();
}

void add_finalizer(json::object& object, std::string_view finalizer) {
    json::value& list = make_object(object, "metadata")["finalizers"];
    if (!list.is_array()) list.emplace_array();
    for (const json::value& item : list.get_array())
        if (item == json::value(json_view(finalizer))) return;
    list.get_array().push_back(json_view(finalizer));
}

/// By which finalizer; empty: by none.
std::string_view finalizer_of(std::string_view propagation) {
    if (propagation == "Foreground") return "foregroundDeletion";
    return propagation == "Orphan" ? "orphan" : "";
}

/// A second removal can only shorten the wait.
void mark_leaving(const ResourceKind& kind, json::object& object, Time now, std::int64_t grace) {
    json::object& metadata = make_object(object, "metadata");
    const auto before = integer_at(object, "metadata.deletionGracePeriodSeconds");
    if (before && *before <= grace) return;
    metadata["deletionTimestamp"] = format_rfc3339(now + std::chrono::seconds(grace), 0);
    metadata["deletionGracePeriodSeconds"] = grace;
    if (kind.has_generation && !before)
        metadata["generation"] = integer_at(object, "metadata.generation").value_or(0) + 1;
}

/// Without them nothing would find its place any more.
bool is_immortal(const ResourceKind& kind, std::string_view name) {
    return kind.resource() == "namespaces" &&
           (name == "default" || name == "kube-system" || name == "kube-public");
}

}  // namespace

Answer<Removed> ObjectStore::remove(const ResourceKind& kind, std::string_view space,
                                    std::string_view name, const RemoveOptions& options) {
    CAPSTAN_TRY(const ApiObject current, get(kind, space, name));
    CAPSTAN_CHECK(check_preconditions(kind, *current, options.uid, options.resource_version));
    if (is_immortal(kind, name))
        return fail(
            forbidden(kind.resource(), std::string(name), "this namespace may not be deleted"));
    const std::int64_t grace = grace_of(kind, *current, options);
    const std::string_view finalizer = finalizer_of(options.propagation);
    if (grace == 0 && finalizer.empty() && !has_finalizers(*current)) {
        if (options.is_dry_run) return Removed{current, true};
        return Removed{end(kind, *current, current), true};
    }
    json::object fresh(*current, json::storage_ptr());
    if (!finalizer.empty()) add_finalizer(fresh, finalizer);
    mark_leaving(kind, fresh, now(), grace);
    if (options.is_dry_run || is_same_object(fresh, *current)) return Removed{current, false};
    return Removed{keep(kind, ChangeType::modified, fresh, current), false};
}

void ObjectStore::empty_space(std::string_view space) {
    for (const KindPtr& kind : std::vector(kinds_.all())) {
        if (!kind->namespaced) continue;
        for (const ApiObject& object : list(*kind, space).items) end(*kind, *object, object);
    }
}

}  // namespace capstan::simulation::api_server
