#include "simulator/control_plane/workloads/pod_control.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <boost/json/serialize.hpp>

#include "simulator/api_server/object_checks.hpp"
#include "simulator/control_plane/context/object_fields.hpp"

namespace capstan::simulator::control_plane {
namespace {

void add_controller(const ResourceKind& kind, const json::object& dependent,
                    ReconcileQueue& queue) {
    const json::object* controller = find_controller(dependent);
    if (controller != nullptr && text_at(*controller, "kind") == kind.kind &&
        text_at(*controller, "apiVersion") == kind.api_version())
        queue.add(object_key(namespace_of(dependent), text_at(*controller, "name")));
}

void add_adopters(ControlContext& context, const ResourceKind& kind, const json::object& orphan,
                  ReconcileQueue& queue) {
    for (const ApiObject& object : context.store().list(kind, namespace_of(orphan)).items)
        if (api_server::has_labels(orphan, selector_of({&kind, object})))
            queue.add(object_key(*object));
}

bool adopt(ControlContext& context, const Workload& workload, std::string_view resource,
           const json::object& orphan) {
    return context.edit(resource, orphan, [&](json::object& fresh) {
        add_owner(fresh, make_controller_reference(*workload.kind, *workload.object));
    }) != nullptr;
}

void release(ControlContext& context, const Workload& workload, std::string_view resource,
             const json::object& dependent) {
    context.edit(resource, dependent,
                 [&](json::object& fresh) { remove_owner(fresh, uid_of(*workload.object)); });
}

}  // namespace

void watch_workloads(ControlContext& context, std::string_view resource, std::string_view dependent,
                     ReconcileQueue& queue) {
    context.feed().listen(resource,
                          [&](const Change& change) { queue.add(object_key(*change.object)); });
    const ResourceKind& kind = context.kind(resource);
    context.feed().listen(dependent, [&](const Change& change) {
        add_controller(kind, *change.object, queue);
        if (change.before != nullptr) add_controller(kind, *change.before, queue);
        if (change.type != ChangeType::deleted && find_controller(*change.object) == nullptr)
            add_adopters(context, kind, *change.object, queue);
    });
}

api_server::LabelQuery selector_of(const Workload& workload) {
    const json::object* selector = find_object(*workload.object, "spec.selector");
    if (selector == nullptr) return {{"", Operator::in, {}}};
    // The selector of a ReplicationController is a map of labels.
    if (workload.kind->kind != "ReplicationController")
        return api_server::label_query_of(*selector);
    return api_server::label_query_of(json::object{{"matchLabels", *selector}});
}

std::vector<ApiObject> claim(ControlContext& context, const Workload& workload,
                             std::string_view resource) {
    const api_server::LabelQuery selector = selector_of(workload);
    const std::string_view uid = uid_of(*workload.object);
    if (!is_terminating(*workload.object))
        for (const ApiObject& orphan :
             context.index().without_controller(namespace_of(*workload.object), resource))
            if (api_server::has_labels(*orphan, selector) && !is_terminating(*orphan))
                adopt(context, workload, resource, *orphan);
    std::vector<ApiObject> out;
    for (ApiObject& dependent : context.index().controlled_by(uid, resource)) {
        if (api_server::has_labels(*dependent, selector)) {
            out.push_back(std::move(dependent));
        } else if (!is_terminating(*workload.object)) {
            release(context, workload, resource, *dependent);
        }
    }
    return out;
}

json::object make_pod(const Workload& workload) {
    const json::object& object = *workload.object;
    json::object pod;
    json::object& metadata = make_object(pod, "metadata");
    if (const json::object* from = find_object(object, "spec.template.metadata"))
        for (const char* key : {"labels", "annotations", "finalizers"})
            api_server::take_member(metadata, *from, key);
    metadata["generateName"] = std::string(name_of(object)) + "-";
    if (const json::object* spec = find_object(object, "spec.template.spec")) pod["spec"] = *spec;
    add_owner(pod, make_controller_reference(*workload.kind, object));
    return pod;
}

namespace {

// The messages of Kubernetes. Its controller of StatefulSets has other ones.

bool is_stateful(const Workload& workload) { return workload.kind->kind == "StatefulSet"; }

std::string stateful_message(const Workload& workload, std::string_view verb,
                             const std::string& pod) {
    return std::string(verb) + " Pod " + pod + " in StatefulSet " +
           std::string(name_of(*workload.object));
}

std::string creation_message(const Workload& workload, const std::string& pod) {
    return is_stateful(workload) ? stateful_message(workload, "create", pod) + " successful"
                                 : "Created pod: " + pod;
}

std::string failed_creation_message(const Workload& workload, const std::string& pod,
                                    const std::string& refusal) {
    return is_stateful(workload)
               ? stateful_message(workload, "create", pod) + " failed error: " + refusal
               : "Error creating: " + refusal;
}

std::string deletion_message(const Workload& workload, const std::string& pod) {
    return is_stateful(workload) ? stateful_message(workload, "delete", pod) + " successful"
                                 : "Deleted pod: " + pod;
}

}  // namespace

ApiObject create_pod(ControlContext& context, const Workload& workload, json::object pod) {
    std::string refusal;
    const std::string name(name_of(pod));
    const ApiObject made =
        context.create("pods", namespace_of(*workload.object), std::move(pod), &refusal);
    if (made == nullptr) {
        context.events().record(*workload.kind, *workload.object,
                                {workload.component, "FailedCreate",
                                 failed_creation_message(workload, name, refusal), true});
    } else {
        record_event(context, workload, "SuccessfulCreate",
                     creation_message(workload, std::string(name_of(*made))));
    }
    return made;
}

void delete_pod(ControlContext& context, const Workload& workload, const json::object& pod) {
    context.remove("pods", pod);
    record_event(context, workload, "SuccessfulDelete",
                 deletion_message(workload, std::string(name_of(pod))));
}

void record_event(ControlContext& context, const Workload& workload, std::string_view reason,
                  std::string message) {
    context.events().record(*workload.kind, *workload.object,
                            {workload.component, reason, std::move(message)});
}

ApiObject write_status(ControlContext& context, const Workload& workload,
                       const std::function<void(json::object&)>& change) {
    return context.edit(workload.kind->resource(), *workload.object, change, ObjectPart::status);
}

std::string template_hash(const json::object& pod_template, std::int64_t collisions) {
    // FNV-1a, 64 bits.
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : json::serialize(pod_template) + std::to_string(collisions))
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    const std::string all = api_server::name_suffix(hash) + api_server::name_suffix(hash >> 32);
    return all;
}

namespace {

constexpr std::string_view revisions_resource = "controllerrevisions.apps";

/// The data of a revision: a patch with the template, which `kubectl rollout undo` applies.
json::object revision_data(const json::object& object) {
    json::object pod_template = *find_object(object, "spec.template");
    pod_template["$patch"] = "replace";
    return {{"spec", json::object{{"template", std::move(pod_template)}}}};
}

/// The oldest first.
std::vector<ApiObject> revisions_of(ControlContext& context, const Workload& workload) {
    auto out = context.index().controlled_by(uid_of(*workload.object), revisions_resource);
    std::ranges::sort(out, {}, [](const ApiObject& revision) {
        return std::pair(number_or(*revision, "revision", 0), std::string(name_of(*revision)));
    });
    return out;
}

ApiObject make_revision(ControlContext& context, const Workload& workload, json::object data,
                        std::int64_t number) {
    const json::object& object = *workload.object;
    const std::string_view space = namespace_of(object);
    for (std::int64_t collisions = 0;; ++collisions) {
        const std::string hash = template_hash(data, collisions);
        const std::string name = std::string(name_of(object)) + "-" + hash;
        if (context.find(revisions_resource, object_key(space, name)) != nullptr) continue;
        json::object labels;
        if (const json::object* own = find_object(object, "spec.template.metadata.labels"))
            labels = *own;
        labels[json_view(revision_label)] = hash;
        json::object out{{"metadata", json::object{{"name", name}, {"labels", std::move(labels)}}},
                         {"data", std::move(data)},
                         {"revision", number}};
        add_owner(out, make_controller_reference(*workload.kind, object));
        return context.create(revisions_resource, space, std::move(out));
    }
}

}  // namespace

ApiObject update_revision_of(ControlContext& context, const Workload& workload) {
    if (find_object(*workload.object, "spec.template") == nullptr) return nullptr;
    json::object data = revision_data(*workload.object);
    const std::vector<ApiObject> all = revisions_of(context, workload);
    const std::int64_t highest = all.empty() ? 0 : number_or(*all.back(), "revision", 0);
    const auto same = std::ranges::find_if(all, [&](const ApiObject& revision) {
        const json::object* found = find_object(*revision, "data");
        return found != nullptr && *found == data;
    });
    if (same == all.end()) return make_revision(context, workload, std::move(data), highest + 1);
    if (*same == all.back()) return *same;
    return context.edit(revisions_resource, **same,
                        [&](json::object& fresh) { fresh["revision"] = highest + 1; });
}

ApiObject find_revision(ControlContext& context, const Workload& workload, std::string_view name) {
    return context.find(revisions_resource, object_key(namespace_of(*workload.object), name));
}

Workload at_revision(const Workload& workload, const json::object& revision) {
    json::object object = *workload.object;
    json::object pod_template = *find_object(revision, "data.spec.template");
    pod_template.erase("$patch");
    set_value(object, "spec.template", std::move(pod_template));
    return {workload.kind, std::make_shared<const json::object>(std::move(object)),
            workload.component};
}

void delete_old_revisions(ControlContext& context, const Workload& workload,
                          const std::set<std::string, std::less<>>& used) {
    std::vector<ApiObject> idle = revisions_of(context, workload);
    std::erase_if(idle,
                  [&](const ApiObject& revision) { return used.contains(name_of(*revision)); });
    const auto keep = number_or(*workload.object, "spec.revisionHistoryLimit", 10);
    for (std::size_t i = 0;
         i + static_cast<std::size_t>(std::max<std::int64_t>(keep, 0)) < idle.size(); ++i)
        context.remove(revisions_resource, *idle[i]);
}

namespace {

std::int64_t wanted_by_old(const Rollout& rollout) {
    return std::accumulate(rollout.old.begin(), rollout.old.end(), std::int64_t{0},
                           [](std::int64_t sum, const SetSize& set) { return sum + set.wanted; });
}

SetSizes present_sizes(const Rollout& rollout) {
    SetSizes out{.fresh = rollout.fresh.wanted};
    for (const SetSize& set : rollout.old) out.old.push_back(set.wanted);
    return out;
}

std::int64_t next_fresh(const Rollout& rollout) {
    const std::int64_t now = rollout.fresh.wanted;
    if (now >= rollout.replicas) return rollout.replicas;
    const std::int64_t room = rollout.replicas + rollout.max_surge - (now + wanted_by_old(rollout));
    return now + std::clamp<std::int64_t>(room, 0, rollout.replicas - now);
}

/// Takes at most `most` pods from the sizes, from the first one on, and at most `limit(i)` from
/// size `i`. Returns how many were taken.
template <class Limit>
std::int64_t shrink(std::vector<std::int64_t>& sizes, std::int64_t most, const Limit& limit) {
    std::int64_t taken = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::int64_t by = std::min(most - taken, limit(i));
        if (by <= 0) continue;
        sizes[i] -= by;
        taken += by;
    }
    return taken;
}

void shrink_old(const Rollout& rollout, SetSizes& sizes) {
    const SetSize& fresh = rollout.fresh;
    const std::int64_t least = rollout.replicas - rollout.max_unavailable;
    const std::int64_t unavailable_fresh = fresh.wanted - fresh.available;
    const std::int64_t most = fresh.wanted + wanted_by_old(rollout) - least - unavailable_fresh;
    if (most <= 0) return;
    const std::int64_t unhealthy = shrink(sizes.old, most, [&](std::size_t i) {
        return rollout.old[i].wanted - rollout.old[i].available;
    });
    std::int64_t available = fresh.available;
    for (const SetSize& set : rollout.old) available += set.available;
    shrink(sizes.old, std::min(available - least, most - unhealthy),
           [&](std::size_t i) { return sizes.old[i]; });
}

/// The change of a ReplicaSet that keeps its share of all pods.
std::int64_t share_of(const SetSize& set, const Rollout& rollout, std::int64_t now_allowed) {
    const std::int64_t before = set.limit > 0 ? set.limit : rollout.replicas;
    if (before == 0) return 0;
    return std::llround(static_cast<double>(set.wanted * now_allowed) /
                        static_cast<double>(before)) -
           set.wanted;
}

/// The largest first; among equals the newest first when they grow, the oldest when they shrink.
std::vector<std::size_t> sharing_order(const std::vector<SetSize>& sets, bool grows) {
    std::vector<std::size_t> out(sets.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    std::ranges::sort(out, [&](std::size_t a, std::size_t b) {
        if (sets[a].wanted != sets[b].wanted) return sets[a].wanted > sets[b].wanted;
        return grows ? a > b : a < b;
    });
    return out;
}

}  // namespace

SetSizes plan_rolling_step(const Rollout& rollout) {
    SetSizes out = present_sizes(rollout);
    out.fresh = next_fresh(rollout);
    if (out.fresh == rollout.fresh.wanted) shrink_old(rollout, out);
    return out;
}

SetSizes plan_scaling(const Rollout& rollout) {
    std::vector<SetSize> sets = rollout.old;
    sets.push_back(rollout.fresh);
    const std::int64_t total = rollout.fresh.wanted + wanted_by_old(rollout);
    const std::int64_t allowed = rollout.replicas > 0 ? rollout.replicas + rollout.max_surge : 0;
    std::int64_t left = allowed - total;
    const bool grows = left > 0;
    const std::vector<std::size_t> order = sharing_order(sets, grows);
    for (const std::size_t i : order) {
        if (sets[i].wanted == 0) continue;
        std::int64_t by = share_of(sets[i], rollout, allowed);
        by = grows ? std::clamp<std::int64_t>(by, 0, left) : std::clamp<std::int64_t>(by, left, 0);
        sets[i].wanted += by;
        left -= by;
    }
    SetSize& first = sets[order.front()];
    first.wanted = std::max<std::int64_t>(first.wanted + left, 0);
    SetSizes out{.fresh = sets.back().wanted};
    for (std::size_t i = 0; i + 1 < sets.size(); ++i) out.old.push_back(sets[i].wanted);
    return out;
}

}  // namespace capstan::simulator::control_plane
