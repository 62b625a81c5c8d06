#include "template_properties.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace capstan::gce {
namespace {

bool is_output_only(std::string_view key) noexcept { return key == "kind" || key == "fingerprint"; }

Json without_output_only(const Json& value) {
    if (value.is_array()) {
        Json out = Json::array();
        for (const Json& item : value.items()) out.append(without_output_only(item));
        return out;
    }
    if (!value.is_object()) return value;
    Json out = Json::object();
    for (const auto& [key, member] : value.members())
        if (!is_output_only(key)) out.set(key, without_output_only(member));
    return out;
}

Json with_kube_env(const Json& metadata, const Labels& made) {
    const auto kube_env = made.find("kube-env");
    Json items = Json::array();
    const Json* const there = metadata.find("items");
    if (there != nullptr) {
        for (Json item : there->items()) {
            if (kube_env != made.end() && item.text_at({"key"}) == "kube-env")
                item.set("value", kube_env->second);
            items.append(std::move(item));
        }
    }
    Json out = Json::object();
    out.set("items", std::move(items));
    return out;
}

Json without_names(const Json& interfaces) {
    Json out = Json::array();
    for (Json item : interfaces.items()) {
        item.erase("name");
        out.append(std::move(item));
    }
    return out;
}

Json accelerators_json(const InstanceTemplate& made) {
    Json out = Json::array();
    for (const TemplateAccelerator& accelerator : made.accelerators) {
        Json item = Json::object();
        item.set("acceleratorType", accelerator.type);
        item.set("acceleratorCount", std::int64_t{accelerator.count});
        out.append(std::move(item));
    }
    return out;
}

Json labels_of(const InstanceTemplate& made) {
    Json out = Json::object();
    for (const auto& [key, value] : made.labels) out.set(key, value);
    return out;
}

/// Sets the scheduling of a spot machine, which Google neither restarts nor migrates.
void make_spot(Json& properties, const InstanceTemplate& made) {
    Json& scheduling = properties.at("scheduling");
    scheduling.set("provisioningModel", "SPOT");
    scheduling.set("preemptible", true);
    scheduling.set("automaticRestart", false);
    scheduling.set("onHostMaintenance", "TERMINATE");
    scheduling.set("instanceTerminationAction", made.termination_action);
    properties.erase("reservationAffinity");
}

}  // namespace

Json make_template_properties(const InstanceTemplate& made) {
    Json out = without_output_only(made.properties);
    out.set("machineType", made.machine_type);
    out.set("labels", labels_of(made));
    if (const Json* const metadata = out.find("metadata"))
        out.set("metadata", with_kube_env(*metadata, made.metadata));
    if (const Json* const interfaces = out.find("networkInterfaces"))
        out.set("networkInterfaces", without_names(*interfaces));
    out.erase("guestAccelerators");
    if (!made.accelerators.empty()) out.set("guestAccelerators", accelerators_json(made));
    if (made.is_spot) make_spot(out, made);
    return out;
}

}  // namespace capstan::gce
