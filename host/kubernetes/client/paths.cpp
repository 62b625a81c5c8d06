#include "kubernetes/client/paths.hpp"

namespace capstan::kubernetes {
namespace {

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

void append_segment(std::string& path, std::string_view segment) {
    path += '/';
    path += percent_encoded(segment);
}

}  // namespace

std::string percent_encoded(std::string_view text) {
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        if (is_plain(c)) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return out;
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

}  // namespace capstan::kubernetes
