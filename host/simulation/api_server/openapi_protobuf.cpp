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
std::string protobuf_field(unsigned number, std::string_view content) {
    constexpr unsigned length_delimited = 2;
    std::string out;
    append_varint(out, number << 3 | length_delimited);
    append_varint(out, content.size());
    return out.append(content);
}

/// A query parameter "fieldValidation" inside of what kinds of parameters there are.
std::string validation_parameter() {
    const std::string query = protobuf_field(2, "query") + protobuf_field(4, "fieldValidation") +
                              protobuf_field(6, "string");
    return protobuf_field(1, protobuf_field(2, protobuf_field(3, query)));
}

std::string patch_operation(const ResourceKind& kind) {
    const std::string itself = "group: \"" + kind.group + "\"\nversion: \"" + kind.version +
                               "\"\nkind: \"" + kind.kind + "\"\n";
    const std::string extension = protobuf_field(1, "x-kubernetes-group-version-kind") +
                                  protobuf_field(2, protobuf_field(2, itself));
    return protobuf_field(8, validation_parameter()) + protobuf_field(13, extension);
}

}  // namespace

std::string openapi_protobuf(const ResourceKinds& kinds) {
    constexpr unsigned patch = 8, path = 2, paths = 8;
    std::string all;
    for (const KindPtr& kind : kinds.all()) {
        const std::string name = (kind->group.empty() ? "/api/" : "/apis/" + kind->group + "/") +
                                 kind->version + "/" + kind->plural + "/{name}";
        all += protobuf_field(path,
                              protobuf_field(1, name) +
                                  protobuf_field(2, protobuf_field(patch, patch_operation(*kind))));
    }
    return protobuf_field(1, "2.0") +
           protobuf_field(2, protobuf_field(1, "Kubernetes") + protobuf_field(2, "v1")) +
           protobuf_field(paths, all);
}

}  // namespace capstan::simulation
