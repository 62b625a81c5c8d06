/// The same as protobuf under the older OpenAPI v2, which kubectl asks for up to 1.28. Numbers of
/// fields are those of gnostic's openapi_v2.Document.
#include "simulation/api_server/discovery_documents.hpp"

namespace capstan::simulation {
namespace {

void append_varint(std::string& out, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
    out += static_cast<char>(number);
}

/// A text or a message, which look alike.
std::string field(unsigned number, std::string_view content) {
    constexpr unsigned length_delimited = 2;
    std::string out;
    append_varint(out, number << 3 | length_delimited);
    append_varint(out, content.size());
    return out.append(content);
}

/// A query parameter "fieldValidation" inside of what kinds of parameters there are.
std::string validation_parameter() {
    const std::string query = field(2, "query") + field(4, "fieldValidation") + field(6, "string");
    return field(1, field(2, field(3, query)));
}

std::string patch_operation(const ResourceKind& kind) {
    const std::string itself = "group: \"" + kind.group + "\"\nversion: \"" + kind.version +
                               "\"\nkind: \"" + kind.kind + "\"\n";
    const std::string extension =
        field(1, "x-kubernetes-group-version-kind") + field(2, field(2, itself));
    return field(8, validation_parameter()) + field(13, extension);
}

}  // namespace

std::string openapi_protobuf(const ResourceKinds& kinds) {
    constexpr unsigned patch = 8, path = 2, paths = 8;
    std::string all;
    for (const KindPtr& kind : kinds.all()) {
        const std::string name = (kind->group.empty() ? "/api/" : "/apis/" + kind->group + "/") +
                                 kind->version + "/" + kind->plural + "/{name}";
        all += field(path, field(1, name) + field(2, field(patch, patch_operation(*kind))));
    }
    return field(1, "2.0") + field(2, field(1, "Kubernetes") + field(2, "v1")) + field(paths, all);
}

}  // namespace capstan::simulation
