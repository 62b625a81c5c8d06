#include "cases.hpp"

#include <toml++/toml.h>

#include <stdexcept>

namespace capstan::tests {
namespace {

using testing::Value;

Value value_of(const toml::node& node);

Value::Table table_of(const toml::table& table) {
    Value::Table out;
    for (auto&& [key, value] : table) out.emplace_back(std::string(key.str()), value_of(value));
    return out;
}

Value value_of(const toml::node& node) {
    if (const auto* table = node.as_table()) return Value(table_of(*table));
    if (const auto* array = node.as_array()) {
        Value::List out;
        for (const toml::node& item : *array) out.push_back(value_of(item));
        return Value(std::move(out));
    }
    if (node.is_string()) return Value(*node.value<std::string>());
    if (node.is_integer()) return Value(*node.value<std::int64_t>());
    if (node.is_floating_point()) return Value(*node.value<double>());
    return Value(node.value<bool>().value());
}

Labels texts_of(const toml::table* table) {
    Labels out;
    if (table == nullptr) return out;
    for (auto&& [key, value] : *table) out.emplace(key.str(), value.value<std::string>().value());
    return out;
}

/// Defaults as in `capstan plugin call`: allocatable is capacity, free is allocatable.
Resources resources_of(const toml::table& node, const char* key, const Resources& otherwise) {
    const toml::table* given = node[key].as_table();
    return given == nullptr ? otherwise : parse_resources(texts_of(given)).value();
}

NodeTemplate template_of(const toml::table& node, std::string name) {
    NodeTemplate out{.name = std::move(name), .labels = texts_of(node["labels"].as_table())};
    out.capacity = resources_of(node, "capacity", {});
    out.allocatable = resources_of(node, "allocatable", out.capacity);
    out.free = resources_of(node, "free", out.allocatable);
    return out;
}

SimilarityVerdict verdict_of(std::string_view name) {
    if (name == "agrees") return SimilarityVerdict::agrees;
    if (name == "decided") return SimilarityVerdict::decided;
    if (name == "differs") return SimilarityVerdict::differs;
    throw std::runtime_error("no verdict: " + std::string(name));
}

}  // namespace

std::vector<SimilarityCase> similarity_cases(std::string_view check) {
    const toml::table file = toml::parse_file(CAPSTAN_TEST_CASES "/similarity.toml");
    std::vector<SimilarityCase> out;
    for (const toml::node& entry : *file[check].as_array()) {
        const toml::table& c = *entry.as_table();
        SimilarityCase one{.title = c["title"].value<std::string>().value(),
                           .a = template_of(*c["a"].as_table(), "web-a"),
                           .b = template_of(*c["b"].as_table(), "web-b"),
                           .verdict = verdict_of(c["answer"].value<std::string_view>().value()),
                           .because = c["because"].value_or(std::string())};
        if (const toml::table* settings = c["settings"].as_table())
            one.settings = table_of(*settings);
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace capstan::tests
