#include "simulation/control_plane/namespace_contents.hpp"

#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {
namespace {

struct Content {
    std::string_view resource, name;
};

constexpr Content contents[] = {{"serviceaccounts", "default"}, {"configmaps", "kube-root-ca.crt"}};

json::object make_content(std::string_view name, std::string_view resource) {
    json::object out{{"metadata", json::object{{"name", json_view(name)}}}};
    // Nothing in this process has a certificate to trust.
    if (resource == "configmaps") out["data"] = json::object{{"ca.crt", ""}};
    return out;
}

}  // namespace

NamespaceContents::NamespaceContents(ControlContext& context)
    : context_(context),
      queue_(context.loop(), [this](const std::string& space) { reconcile(space); }) {
    context.feed().listen("namespaces", [this](const Change& change) {
        queue_.add(std::string(text_at(*change.object, "metadata.name")));
    });
    for (const Content& content : contents)
        context.feed().listen(content.resource, [this](const Change& change) {
            if (change.type == ChangeType::deleted)
                queue_.add(std::string(text_at(*change.object, "metadata.namespace")));
        });
}

void NamespaceContents::reconcile(const std::string& space) {
    const ApiObject found = context_.find("namespaces", object_key("", space));
    if (found == nullptr || is_leaving(*found)) return;
    for (const Content& content : contents)
        if (context_.find(content.resource, object_key(space, content.name)) == nullptr)
            context_.create(content.resource, space, make_content(content.name, content.resource));
}

}  // namespace capstan::simulation
