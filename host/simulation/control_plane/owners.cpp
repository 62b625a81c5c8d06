#include "simulation/control_plane/owners.hpp"

#include <utility>

namespace capstan::simulation {

std::vector<const json::object*> owners_of(const json::object& object) {
    std::vector<const json::object*> out;
    if (const json::array* list = find_array(object, "metadata.ownerReferences"))
        for (const json::value& item : *list)
            if (const json::object* owner = item.if_object()) out.push_back(owner);
    return out;
}

const json::object* find_controller(const json::object& object) {
    for (const json::object* owner : owners_of(object))
        if (is_true_at(*owner, "controller")) return owner;
    return nullptr;
}

std::string_view controller_uid(const json::object& object) {
    const json::object* controller = find_controller(object);
    return controller == nullptr ? std::string_view() : text_at(*controller, "uid");
}

json::object make_controller_reference(const ResourceKind& kind, const json::object& owner) {
    return {{"apiVersion", kind.api_version()},
            {"kind", kind.kind},
            {"name", json_view(text_at(owner, "metadata.name"))},
            {"uid", json_view(text_at(owner, "metadata.uid"))},
            {"controller", true},
            {"blockOwnerDeletion", true}};
}

void add_owner(json::object& object, json::object reference) {
    remove_owner(object, text_at(reference, "uid"));
    json::value& list = make_object(object, "metadata")["ownerReferences"];
    if (!list.is_array()) list.emplace_array();
    list.get_array().push_back(std::move(reference));
}

void remove_owner(json::object& object, std::string_view uid) {
    json::array kept;
    for (const json::object* owner : owners_of(object))
        if (text_at(*owner, "uid") != uid) kept.push_back(*owner);
    json::object& metadata = make_object(object, "metadata");
    if (kept.empty()) {
        metadata.erase("ownerReferences");
    } else {
        metadata["ownerReferences"] = std::move(kept);
    }
}

}  // namespace capstan::simulation
