#include "simulation/control_plane/object_index.hpp"

#include "simulation/control_plane/owners.hpp"

namespace capstan::simulation {
namespace {

std::string shelf(std::string_view what, std::string_view of, std::string_view more = {}) {
    return std::string(what).append("/").append(of).append("/").append(more);
}

bool is_adopted(std::string_view resource) {
    return resource == "pods" || resource == "replicasets.apps" ||
           resource == "controllerrevisions.apps";
}

std::vector<std::string> shelves_for(const std::string& resource, const json::object& object) {
    std::vector<std::string> out{shelf("uid", text_at(object, "metadata.uid"))};
    for (const json::object* owner : owners_of(object))
        out.push_back(shelf("owner", text_at(*owner, "uid")));
    if (const json::object* controller = find_controller(object)) {
        out.push_back(shelf("controller", text_at(*controller, "uid"), resource));
    } else if (is_adopted(resource)) {
        out.push_back(shelf("orphan", text_at(object, "metadata.namespace"), resource));
    }
    if (const std::string_view node = text_at(object, "spec.nodeName");
        resource == "pods" && !node.empty())
        out.push_back(shelf("node", node));
    return out;
}

}  // namespace

void ObjectIndex::note(const ResourceKind& kind, std::string_view space, std::string_view name) {
    const ObjectName full{kind.resource(), std::string(space), std::string(name)};
    const ApiObject object = store_.find(kind, space, name);
    std::vector<std::string> fresh;
    if (object != nullptr) fresh = shelves_for(full.resource, *object);
    const auto known = shelves_of_.find(full);
    if (known != shelves_of_.end()) {
        if (known->second == fresh) return;
        for (const std::string& old : known->second)
            if (Names& names = shelves_[old]; names.erase(full) > 0 && names.empty())
                shelves_.erase(old);
        shelves_of_.erase(known);
    }
    if (object == nullptr) return;
    for (const std::string& now : fresh) shelves_[now].insert(full);
    shelves_of_.emplace(full, std::move(fresh));
}

std::vector<ObjectName> ObjectIndex::names_in(const std::string& shelf) const {
    const auto found = shelves_.find(shelf);
    if (found == shelves_.end()) return {};
    return {found->second.begin(), found->second.end()};
}

std::vector<ApiObject> ObjectIndex::objects_in(const std::string& shelf) const {
    std::vector<ApiObject> out;
    for (const ObjectName& full : names_in(shelf))
        if (ApiObject object = store_.find(store_.kind(full.resource), full.space, full.name))
            out.push_back(std::move(object));
    return out;
}

std::vector<ApiObject> ObjectIndex::controlled_by(std::string_view uid,
                                                  std::string_view resource) const {
    return objects_in(shelf("controller", uid, resource));
}

std::vector<ApiObject> ObjectIndex::without_controller(std::string_view space,
                                                       std::string_view resource) const {
    return objects_in(shelf("orphan", space, resource));
}

std::vector<ApiObject> ObjectIndex::pods_on(std::string_view node) const {
    return objects_in(shelf("node", node));
}

std::vector<ObjectName> ObjectIndex::dependents_of(std::string_view uid) const {
    return names_in(shelf("owner", uid));
}

std::vector<ObjectName> ObjectIndex::named_by_uid(std::string_view uid) const {
    return names_in(shelf("uid", uid));
}

}  // namespace capstan::simulation
