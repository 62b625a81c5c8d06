#include "simulator/control_plane/cluster_controllers.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <capstan/well_known.hpp>

#include "simulator/control_plane/context/object_fields.hpp"

namespace capstan::simulator::control_plane {
namespace {

constexpr std::string_view classes = "storageclasses.storage.k8s.io";
constexpr std::string_view claims = "persistentvolumeclaims";
constexpr std::string_view volumes = "persistentvolumes";
constexpr std::string_view default_annotation = "storageclass.kubernetes.io/is-default-class";
constexpr std::string_view provisioned_annotation = "pv.kubernetes.io/provisioned-by";
constexpr std::string_view provisioner = "simulation.capstan.io/volumes";

std::string volume_name(const json::object& claim) { return "pvc-" + std::string(uid_of(claim)); }

std::vector<std::string> claim_keys(const json::object& pod) {
    std::vector<std::string> out;
    for (const json::object* volume : objects_at(pod, "spec.volumes"))
        if (const std::string_view name = text_at(volume, "persistentVolumeClaim.claimName");
            !name.empty())
            out.push_back(object_key(namespace_of(pod), name));
    return out;
}

/// A node affinity that admits only nodes of that zone.
json::object zone_affinity(std::string_view zone) {
    const json::object expression{{"key", json_view(well_known::zone_label)},
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
                                  {"namespace", json_view(namespace_of(claim))},
                                  {"name", json_view(name_of(claim))},
                                  {"uid", json_view(uid_of(claim))}}},
        {"persistentVolumeReclaimPolicy", "Delete"},
        {"storageClassName", json_view(name_of(storage_class))},
        {"csi", json::object{{"driver", json_view(text_at(storage_class, "provisioner"))},
                             {"volumeHandle", volume_name(claim)}}}};
    for (const char* key : {"accessModes", "volumeMode"})
        api_server::take_member(spec, *find_object(claim, "spec"), key);
    if (const json::object* requests = find_object(claim, "spec.resources.requests"))
        spec["capacity"] = *requests;
    json::object out{{"metadata", json::object{{"name", volume_name(claim)}}},
                     {"spec", std::move(spec)},
                     {"status", json::object{{"phase", "Bound"}}}};
    set_annotation(out, provisioned_annotation, text_at(storage_class, "provisioner"));
    return out;
}

class VolumeClaims final : public QueuedController {
public:
    explicit VolumeClaims(ControlContext& context) : QueuedController(context) {
        context.feed().listen(claims, [this](const Change& change) {
            if (change.type == ChangeType::deleted) return remove_volume_of(*change.object);
            queue_.add(object_key(*change.object));
        });
        context.feed().listen("pods", [this](const Change& change) {
            if (!text_at(*change.object, "spec.nodeName").empty())
                for (const std::string& key : claim_keys(*change.object)) queue_.add(key);
        });
        context.feed().listen(classes, [this](const Change&) { add_all(claims); });
    }

    void make_defaults() override {
        json::object standard{{"metadata", json::object{{"name", "standard"}}},
                              {"provisioner", json_view(provisioner)},
                              {"volumeBindingMode", "WaitForFirstConsumer"}};
        set_annotation(standard, default_annotation, "true");
        context_.create(classes, "", std::move(standard));
    }

private:
    /// The class of a claim. A claim that names none gets the default class, the youngest if there
    /// are several. NULL: there is no such class.
    ApiObject find_class(const json::object& claim) {
        const json::value* named = api_server::find_value(claim, "spec.storageClassName");
        if (named != nullptr)
            return context_.find(classes, object_key("", text_at(claim, "spec.storageClassName")));
        ApiObject out;
        const auto age = [](const json::object& object) {
            return std::tuple(text_at(object, "metadata.creationTimestamp"), name_of(object));
        };
        for (const ApiObject& found : context_.store().list(context_.kind(classes)).items)
            if (annotation_of(*found, default_annotation) == "true" &&
                (out == nullptr || age(*out) < age(*found)))
                out = found;
        if (out != nullptr)
            context_.edit(claims, claim, [&](json::object& fresh) {
                set_value(fresh, "spec.storageClassName", json_view(name_of(*out)));
            });
        return out;
    }

    void reconcile(const std::string& key) override {
        const ApiObject claim = context_.find(claims, key);
        if (claim == nullptr || is_terminating(*claim) ||
            !text_at(*claim, "spec.volumeName").empty())
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

    /// The node of a pod that uses the claim. NULL: no pod with a node uses the claim.
    ApiObject find_consumers_node(const json::object& claim) const {
        const std::string key = object_key(claim);
        for (const ApiObject& pod :
             context_.store().list(context_.kind("pods"), namespace_of(claim)).items) {
            const std::vector<std::string> used = claim_keys(*pod);
            if (std::ranges::find(used, key) == used.end()) continue;
            if (const std::string_view name = text_at(*pod, "spec.nodeName"); !name.empty())
                return context_.find("nodes", object_key("", name));
        }
        return nullptr;
    }

    void provide(const json::object& claim, const json::object& storage_class,
                 const json::object* node) {
        json::object volume = make_volume(claim, storage_class);
        if (node != nullptr)
            if (const std::string_view zone = label_of(*node, well_known::zone_label);
                !zone.empty())
                set_value(volume, "spec.nodeAffinity", zone_affinity(zone));
        const json::object capacity = *find_object(volume, "spec.capacity");
        if (context_.create(volumes, "", std::move(volume)) == nullptr) return;
        context_.edit(claims, claim, [&](json::object& fresh) {
            set_value(fresh, "spec.volumeName", json_view(volume_name(claim)));
            json::object& status = make_object(fresh, "status");
            status["phase"] = "Bound";
            status["capacity"] = capacity;
            api_server::take_member(status, *find_object(fresh, "spec"), "accessModes");
        });
        context_.events().record(context_.kind(claims), claim,
                                 {"persistentvolume-controller", "ProvisioningSucceeded",
                                  "Successfully provisioned volume " + volume_name(claim)});
    }

    void remove_volume_of(const json::object& claim) {
        const ApiObject volume = context_.find(volumes, object_key("", volume_name(claim)));
        if (volume != nullptr && !annotation_of(*volume, provisioned_annotation).empty())
            context_.remove(volumes, *volume);
    }
};

}  // namespace

std::unique_ptr<Controller> make_volume_claims(ControlContext& context) {
    return std::make_unique<VolumeClaims>(context);
}

}  // namespace capstan::simulator::control_plane
