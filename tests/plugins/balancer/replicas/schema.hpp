/// Objects by chance, made of the schema of a resource definition, and what a schema has against an
/// object: so that no test has its own idea of what is admitted.
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

    /// That of the first version of a definition. Throws where there is none.
    static Schema of_definition(const std::filesystem::path& yaml);

    /// A property of the object, "spec".
    Schema member(const std::string& name) const;
    /// One of the objects that it admits, the same for the same seed: small and large, and with the
    /// ends of what is admitted. Rules in CEL are not looked at.
    Json example(std::uint32_t seed) const;
    /// What it does not admit, with its place; empty: it admits all of it. Fields that it does not
    /// know are not admitted.
    std::string complaint(const Json& value) const;

private:
    explicit Schema(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
    std::shared_ptr<const Node> node_;
};

}  // namespace capstan::replicas
