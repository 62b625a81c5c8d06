/// Random objects of the schema of a CustomResourceDefinition, and the validation of an object, so
/// that all tests use the schema itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <capstan/json.hpp>

namespace capstan::replicas {

class Schema {
public:
    struct Node;

    /// The schema of the first version of a definition. Throws if there is none.
    static Schema of_definition(const std::filesystem::path& yaml);

    /// The schema of a property of the object, such as "spec".
    Schema member(const std::string& name) const;
    /// A random object that the schema admits, the same for the same seed: small, large, and with
    /// the limits of the schema. CEL rules are ignored.
    Json example(std::uint32_t seed) const;
    /// The first violation with its path; empty if the object is admitted. Unknown fields are not
    /// admitted.
    std::string complaint(const Json& value) const;

private:
    explicit Schema(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
    std::shared_ptr<const Node> node_;
};

}  // namespace capstan::replicas
