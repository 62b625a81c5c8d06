#include "kubernetes/client/paths.hpp"

#include <capstan/url.hpp>

namespace capstan::kubernetes::client {
namespace {

void append_segment(std::string& path, std::string_view segment) {
    path += '/';
    path += percent_encode(segment);
}

}  // namespace

std::string api_version_of(const ApiResource& resource) {
    const std::string version(resource.version);
    return resource.group.empty() ? version : std::string(resource.group) + "/" + version;
}

std::string path_of(const ApiResource& resource, std::string_view ns, std::string_view name,
                    std::string_view subresource) {
    std::string path = resource.group.empty() ? "/api" : "/apis";
    if (!resource.group.empty()) append_segment(path, resource.group);
    append_segment(path, resource.version);
    if (resource.has_namespace && !ns.empty()) {
        path += "/namespaces";
        append_segment(path, ns);
    }
    append_segment(path, resource.plural);
    if (!name.empty()) append_segment(path, name);
    if (!subresource.empty()) append_segment(path, subresource);
    return path;
}

}  // namespace capstan::kubernetes::client
