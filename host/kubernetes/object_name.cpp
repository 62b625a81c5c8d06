#include "kubernetes/object_name.hpp"

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/object_kinds.hpp"

namespace capstan::kubernetes {

std::string to_string(const ObjectName& name) {
    return name.ns.empty() ? name.name : name.ns + "/" + name.name;
}

std::optional<ObjectName> find_object_name(const ObjectKind& kind,
                                           const boost::json::value& object) {
    ObjectName out{.name = std::string(base::text_at(object, "metadata.name"))};
    if (out.name.empty()) return std::nullopt;
    if (!kind.has_namespace) return out;
    out.ns = base::text_at(object, "metadata.namespace");
    if (out.ns.empty()) out.ns = "default";
    return out;
}

}  // namespace capstan::kubernetes
