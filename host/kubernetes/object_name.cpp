#include "kubernetes/object_name.hpp"

#include "kubernetes/object_kinds.hpp"

namespace capstan::kubernetes {

std::string to_string(const ObjectName& name) {
    return name.ns.empty() ? name.name : name.ns + "/" + name.name;
}

const boost::json::value* find_member(const boost::json::value& value,
                                      std::string_view key) noexcept {
    const boost::json::object* object = value.if_object();
    return object != nullptr ? object->if_contains(key) : nullptr;
}

std::string_view find_text(const boost::json::value& value, std::string_view key) noexcept {
    const boost::json::value* member = find_member(value, key);
    const boost::json::string* text = member != nullptr ? member->if_string() : nullptr;
    return text != nullptr ? std::string_view(*text) : std::string_view();
}

std::optional<ObjectName> find_object_name(const ObjectKind& kind,
                                           const boost::json::value& object) {
    const boost::json::value* metadata = find_member(object, "metadata");
    if (metadata == nullptr || find_text(*metadata, "name").empty()) return std::nullopt;
    ObjectName out{.name = std::string(find_text(*metadata, "name"))};
    if (!kind.has_namespace) return out;
    out.ns = find_text(*metadata, "namespace");
    if (out.ns.empty()) out.ns = "default";
    return out;
}

}  // namespace capstan::kubernetes
