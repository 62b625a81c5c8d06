#include "simulation/api_server/list_keys.hpp"

#include <algorithm>
#include <array>

namespace capstan::simulation {
namespace {

struct Key {
    std::string_view field, key;
};

/// As core/v1 and its neighbours have them (patchMergeKey); taints and tolerations have none.
constexpr std::array keys = {
    Key{"containers", "name"},
    Key{"initContainers", "name"},
    Key{"ephemeralContainers", "name"},
    Key{"env", "name"},
    Key{"volumes", "name"},
    Key{"volumeMounts", "mountPath"},
    Key{"volumeDevices", "devicePath"},
    Key{"conditions", "type"},
    Key{"addresses", "type"},
    Key{"ownerReferences", "uid"},
    Key{"imagePullSecrets", "name"},
    Key{"hostAliases", "ip"},
    Key{"podIPs", "ip"},
    Key{"hostIPs", "ip"},
    Key{"secrets", "name"},
    Key{"topologySpreadConstraints", "topologyKey"},
    Key{"resourceClaims", "name"},
    Key{"volumesAttached", "name"},
    Key{"schedulingGates", "name"},
};

}  // namespace

std::string_view merge_key(const ListPlace& place) {
    if (place.field == "ports") {
        if (place.is_custom) return {};
        if (place.parent == "spec") return "port";
        return place.parent.ends_with("ontainers") ? "containerPort" : "";
    }
    if (place.is_custom && place.field != "ownerReferences") return {};
    const auto found = std::ranges::find(keys, place.field, &Key::field);
    return found == keys.end() ? std::string_view() : found->key;
}

bool is_set(const ListPlace& place) {
    return place.field == "finalizers" && place.parent == "metadata";
}

json::object* find_element(json::array& list, std::string_view key, const json::value& value) {
    for (json::value& item : list) {
        json::object* object = item.if_object();
        const json::value* member =
            object == nullptr ? nullptr : object->if_contains(json_view(key));
        if (member != nullptr && *member == value) return object;
    }
    return nullptr;
}

}  // namespace capstan::simulation
