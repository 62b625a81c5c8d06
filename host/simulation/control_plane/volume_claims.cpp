#include "simulation/control_plane/volume_claims.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "simulation/control_plane/context/object_fields.hpp"

namespace capstan::simulation {
namespace {

constexpr std::string_view classes = "storageclasses.storage.k8s.io";
constexpr std::string_view claims = "persistentvolumeclaims";
constexpr std::string_view volumes = "persistentvolumes";
constexpr std::string_view default_annotation = "storageclass.kubernetes.io/is-default-class";
constexpr std::string_view provisioned_annotation = "pv.kubernetes.io/provisioned-by";
constexpr std::string_view provisioner = "simulation.capstan.io/volumes";
constexpr std::string_view zone_label = "topology.kubernetes.io/zone";

std::string volume_name(const json::object& claim) {
    return "pvc-" + std::string(text_at(claim, "metadata.uid"));
}

std::vector<std::string> claim_keys(const json::object& pod) {
    std::vector<std::string> out;
    if (const json::array* list = find_array(pod, "spec.volumes"))
        for (const json::value& item : *list)
            if (item.is_object())
                if (const std::string_view name =
                        text_at(item.get_object(), "persistentVolumeClaim.claimName");
                    !name.empty())
                    out.push_back(object_key(text_at(pod, "metadata.namespace"), name));
    return out;
}

/// Nodes of that zone alone.
json::object zone_affinity(std::string_view zone) {
    const json::object expression{{"key", json_view(zone_label)},
                                  {"operator", "In"},
                                  {"values", json::array{json_view(zone)}}};
    return {
        {"required",
         json::object{{"nodeSelectorTerms",
                       json::array{json::object{{"matchExpressions", json::array{expression}}}}}}}};
}

json::object make_volume(const json::object& claim, const json::object& storage_class) {
    json::object spec{
        {"capacity", json::object()},
        {"claimRef", json::object{{"apiVersion", "v1"},
                                  {"kind", "PersistentVolumeClaim"},
                                  {"namespace", json_view(text_at(claim, "metadata.namespace"))},
                                  {"name", json_view(text_at(claim, "metadata.name"))},
                                  {"uid", json_view(text_at(claim, "metadata.uid"))}}},
        {"persistentVolumeReclaimPolicy", "Delete"},
        {"storageClassName", json_view(text_at(storage_class, "metadata.name"))},
        {"csi", json::object{{"driver", json_view(text_at(storage_class, "provisioner"))},
                             {"volumeHandle", volume_name(claim)}}}};
    for (const char* key : {"accessModes", "volumeMode"})
        take_member(spec, *find_object(claim, "spec"), key);
    if (const json::object* asked = find_object(claim, "spec.resources.requests"))
        spec["capacity"] = *asked;
    json::object out{{"metadata", json::object{{"name", volume_name(claim)}}},
                     {"spec", std::move(spec)},
                     {"status", json::object{{"phase", "Bound"}}}};
    set_annotation(out, provisioned_annotation, text_at(storage_class, "provisioner"));
    return out;
}

}  // namespace

VolumeClaims::VolumeClaims(ControlContext& context)
    : context_(context),
      queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {
    context.feed().listen(claims, [this](const Change& change) {
        if (change.type == ChangeType::deleted) return remove_volume_of(*change.object);
        queue_.add(object_key(*change.object));
    });
    context.feed().listen("pods", [this](const Change& change) {
        if (!text_at(*change.object, "spec.nodeName").empty())
            for (const std::string& key : claim_keys(*change.object)) queue_.add(key);
    });
    context.feed().listen(classes, [this](const Change&) {
        for (const ApiObject& claim : context_.store().list(context_.kind(claims)).items)
            queue_.add(object_key(*claim));
    });
}

void VolumeClaims::start() {
    json::object standard{{"metadata", json::object{{"name", "standard"}}},
                          {"provisioner", json_view(provisioner)},
                          {"volumeBindingMode", "WaitForFirstConsumer"}};
    set_annotation(standard, default_annotation, "true");
    context_.create(classes, "", std::move(standard));
}

/// Of a claim that does not say, the default one; the youngest, where there are several. NULL:
/// none.
ApiObject VolumeClaims::find_class(const json::object& claim) {
    const json::value* named = find_value(claim, "spec.storageClassName");
    if (named != nullptr)
        return context_.find(classes, object_key("", text_at(claim, "spec.storageClassName")));
    ApiObject out;
    const auto age = [](const json::object& object) {
        return std::tuple(text_at(object, "metadata.creationTimestamp"),
                          text_at(object, "metadata.name"));
    };
    for (const ApiObject& found : context_.store().list(context_.kind(classes)).items)
        if (annotation_of(*found, default_annotation) == "true" &&
            (out == nullptr || age(*out) < age(*found)))
            out = found;
    if (out != nullptr)
        context_.edit(claims, claim, [&](json::object& fresh) {
            set_value(fresh, "spec.storageClassName", json_view(text_at(*out, "metadata.name")));
        });
    return out;
}

void VolumeClaims::reconcile(const std::string& key) {
    const ApiObject claim = context_.find(claims, key);
    if (claim == nullptr || is_leaving(*claim) || !text_at(*claim, "spec.volumeName").empty())
        return;
    const ApiObject storage_class = find_class(*claim);
    if (storage_class == nullptr ||
        text_at(*storage_class, "provisioner").ends_with("no-provisioner"))
        return;
    ApiObject node;
    if (text_at(*storage_class, "volumeBindingMode") == "WaitForFirstConsumer") {
        node = find_consumers_node(*claim);
        if (node == nullptr) return;
    }
    provide(*claim, *storage_class, node.get());
}

ApiObject VolumeClaims::find_consumers_node(const json::object& claim) const {
    const std::string key = object_key(claim);
    for (const ApiObject& pod :
         context_.store().list(context_.kind("pods"), text_at(claim, "metadata.namespace")).items) {
        const std::vector<std::string> used = claim_keys(*pod);
        if (std::ranges::find(used, key) == used.end()) continue;
        if (const std::string_view name = text_at(*pod, "spec.nodeName"); !name.empty())
            return context_.find("nodes", object_key("", name));
    }
    return nullptr;
}

void VolumeClaims::provide(const json::object& claim, const json::object& storage_class,
                           const json::object* node) {
    json::object volume = make_volume(claim, storage_class);
    if (node != nullptr)
        if (const std::string_view zone = label_of(*node, zone_label); !zone.empty())
            set_value(volume, "spec.nodeAffinity", zone_affinity(zone));
    const json::object capacity = *find_object(volume, "spec.capacity");
    if (context_.create(volumes, "", std::move(volume)) == nullptr) return;
    context_.edit(claims, claim, [&](json::object& fresh) {
        set_value(fresh, "spec.volumeName", json_view(volume_name(claim)));
        json::object& status = make_object(fresh, "status");
        status["phase"] = "Bound";
        status["capacity"] = capacity;
        take_member(status, *find_object(fresh, "spec"), "accessModes");
    });
    context_.events().record(context_.kind(claims), claim,
                             {"persistentvolume-controller", "ProvisioningSucceeded",
                              "Successfully provisioned volume " + volume_name(claim)});
}

void VolumeClaims::remove_volume_of(const json::object& claim) {
    const ApiObject volume = context_.find(volumes, object_key("", volume_name(claim)));
    if (volume != nullptr && !annotation_of(*volume, provisioned_annotation).empty())
        context_.remove(volumes, *volume);
}

}  // namespace capstan::simulation
