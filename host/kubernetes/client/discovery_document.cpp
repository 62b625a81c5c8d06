#include "kubernetes/client/discovery_document.hpp"

#include <algorithm>
#include <set>

#include "kubernetes/client/json_object.hpp"

namespace capstan::kubernetes {
namespace {

using boost::json::object;

/// The objects in the array at `key`; what is none is left out.
std::vector<const object*> objects_at(const object& in, std::string_view key) {
    std::vector<const object*> out;
    const auto* items = find_array(in, {key});
    if (items == nullptr) return out;
    for (const auto& item : *items) {
        if (item.is_object()) out.push_back(&item.get_object());
    }
    return out;
}

ServedKind served_kind(const object& resource, const std::string& group,
                       const std::string& version) {
    ServedKind out{.group = group,
                   .version = version,
                   .kind = text_at(resource, {"responseKind", "kind"}),
                   .plural = text_at(resource, {"resource"}),
                   .has_namespace = text_at(resource, {"scope"}) == "Namespaced"};
    for (const object* subresource : objects_at(resource, "subresources")) {
        out.has_scale = out.has_scale || text_at(*subresource, {"subresource"}) == "scale";
    }
    return out;
}

}  // namespace

std::optional<ServedKinds> find_served_kinds(const object& document) {
    if (text_at(document, {"kind"}) != "APIGroupDiscoveryList") return std::nullopt;
    ServedKinds out;
    for (const object* group : objects_at(document, "items")) {
        const std::string name = text_at(*group, {"metadata", "name"});
        std::vector<ServedKind>& kinds = out[name];
        for (const object* version : objects_at(*group, "versions")) {
            for (const object* resource : objects_at(*version, "resources"))
                kinds.push_back(served_kind(*resource, name, text_at(*version, {"version"})));
        }
    }
    return out;
}

std::vector<std::string> versions_of(const object& document, std::string_view group) {
    std::vector<std::string> out;
    if (const auto* versions = find_array(document, {"versions"}); group.empty() && versions) {
        for (const auto& version : *versions) {
            if (version.is_string()) out.emplace_back(version.get_string());
        }
        return out;
    }
    for (const object* each : objects_at(document, "groups")) {
        if (text_at(*each, {"name"}) != group) continue;
        const std::string preferred = text_at(*each, {"preferredVersion", "version"});
        for (const object* version : objects_at(*each, "versions"))
            out.push_back(text_at(*version, {"version"}));
        const auto first = std::find(out.begin(), out.end(), preferred);
        if (first != out.end()) std::rotate(out.begin(), first, first + 1);
    }
    return out;
}

std::vector<ServedKind> served_kinds_of(const object& document, std::string_view group,
                                        std::string_view version) {
    std::vector<ServedKind> out;
    std::set<std::string> with_scale;
    for (const object* resource : objects_at(document, "resources")) {
        const std::string name = text_at(*resource, {"name"});
        const std::size_t slash = name.find('/');
        if (slash == std::string::npos) {
            out.push_back({.group = std::string(group),
                           .version = std::string(version),
                           .kind = text_at(*resource, {"kind"}),
                           .plural = name,
                           .has_namespace = is_true_at(*resource, {"namespaced"})});
        } else if (name.substr(slash) == "/scale") {
            with_scale.insert(name.substr(0, slash));
        }
    }
    for (ServedKind& kind : out) kind.has_scale = with_scale.contains(kind.plural);
    return out;
}

}  // namespace capstan::kubernetes
