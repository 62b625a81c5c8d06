#include "schema.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <stdexcept>
#include <vector>

#include <yaml-cpp/yaml.h>

namespace capstan::replicas {

struct Schema::Node {
    std::string type{};
    bool is_time = false;
    std::int64_t low = 0, high = 0;    ///< of a number; lengths of a text, list or map
    std::vector<std::string> texts{};  ///< allowed values; empty: any
    std::optional<std::regex> pattern{};
    std::vector<std::string> words{};  ///< examples that are admitted
    std::string key{};                 ///< of a list: the property that identifies an item
    std::set<std::string> required{};
    std::map<std::string, std::shared_ptr<const Node>> properties{};
    std::shared_ptr<const Node> items{};  ///< of a list, or of a map
};

namespace {

/// Usual and unusual texts.
const std::vector<std::string>& words() {
    // clang-format off
    static const std::vector<std::string> all{
        "a", "b", "c", "a", "b", "c", "web", "app", "of", "", " ", "Deployment", "Deployment",
        "apps/v1", "apps/v1", "v1", "x/y/z", "../x", "Balancer", "a,b", "(", "<none>", "0s", "1m30s",
        "1.5h", "99999999999h", "0.000001ns", "Completed", "Balancing", "2026-01-01T00:00:00Z",
        "0001-01-01T00:00:00Z", "\u00e4 \"\\\n", std::string("\0x", 2), std::string(250, 'l'),
        std::string(300, 'l')};
    // clang-format on
    return all;
}

/// Why a text is not admitted; NULL if it is admitted. Lengths are in bytes, which makes a maximum
/// stricter.
const char* text_fault(const Schema::Node& schema, const std::string& text) {
    if (!schema.texts.empty() && std::ranges::count(schema.texts, text) == 0)
        return "is none of the enumerated";
    if (std::ssize(text) < schema.low || std::ssize(text) > schema.high)
        return "is too short or too long";
    static const std::regex time("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z");
    if (schema.is_time && !std::regex_match(text, time)) return "is no time";
    if (schema.pattern && !std::regex_search(text, *schema.pattern)) return "is written otherwise";
    return nullptr;
}

void read_bounds(const YAML::Node& yaml, Schema::Node& out) {
    using Small = std::numeric_limits<std::int32_t>;
    using Large = std::numeric_limits<std::int64_t>;
    const auto bound = [&](const char* key, std::int64_t otherwise) {
        return yaml[key].as<std::int64_t>(otherwise);
    };
    const bool is_small = yaml["format"].as<std::string>("") == "int32";
    if (out.type == "integer") {
        out.low = bound("minimum", is_small ? Small::min() : Large::min());
        out.high = bound("maximum", is_small ? Small::max() : Large::max());
    } else {
        const std::string what = out.type == "string"  ? "Length"
                                 : out.type == "array" ? "Items"
                                                       : "Properties";
        out.low = bound(("min" + what).c_str(), 0);
        out.high = bound(("max" + what).c_str(), 1'000'000);
    }
}

std::shared_ptr<const Schema::Node> read_schema(const YAML::Node& yaml) {
    const auto out = std::make_shared<Schema::Node>();
    out->type = yaml["type"].as<std::string>();
    out->is_time = yaml["format"].as<std::string>("") == "date-time";
    read_bounds(yaml, *out);
    for (const YAML::Node& text : yaml["enum"]) out->texts.push_back(text.as<std::string>());
    if (yaml["pattern"]) out->pattern.emplace(yaml["pattern"].as<std::string>());
    if (yaml["x-kubernetes-list-map-keys"])
        out->key = yaml["x-kubernetes-list-map-keys"][0].as<std::string>();
    for (const YAML::Node& name : yaml["required"]) out->required.insert(name.as<std::string>());
    for (const auto& property : yaml["properties"])
        out->properties[property.first.as<std::string>()] = read_schema(property.second);
    for (const char* below : {"items", "additionalProperties"}) {
        if (yaml[below]) out->items = read_schema(yaml[below]);
    }
    if (out->type == "string") {
        for (const std::string& word : out->texts.empty() ? words() : out->texts)
            if (text_fault(*out, word) == nullptr) out->words.push_back(word);
    }
    return out;
}

class ObjectGenerator {
public:
    explicit ObjectGenerator(std::uint32_t seed) : random_(seed) {}

    Json make(const Schema::Node& schema) {
        if (schema.type == "integer") return make_number(schema);
        if (schema.type == "boolean") return is_often();
        if (schema.type == "string") return pick(schema.words);
        return schema.type == "array" ? make_array(schema) : make_object(schema);
    }

private:
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
    }
    bool is_often() { return between(0, 3) != 0; }
    const std::string& pick(const std::vector<std::string>& from) {
        return from.at(static_cast<std::size_t>(between(0, std::ssize(from) - 1)));
    }
    Json make_number(const Schema::Node& schema) {
        if (between(0, 5) == 0) return is_often() ? schema.high : schema.low;
        return std::clamp<std::int64_t>(between(-2, 12), schema.low, schema.high);
    }
    /// A small number, and sometimes the maximum, but at most 300.
    std::int64_t make_size(const Schema::Node& schema) {
        const std::int64_t few = std::min(schema.low + between(0, 3), schema.high);
        return between(0, 99) == 0 ? std::min<std::int64_t>(schema.high, 300) : few;
    }
    Json make_array(const Schema::Node& schema) {
        Json out = Json::array();
        std::set<std::string> seen;
        for (std::int64_t n = make_size(schema); n > 0; --n) {
            Json item = make(*schema.items);
            const Json* key = item.find(schema.key);
            if (key != nullptr && !seen.insert(key->text()).second)
                item.set(schema.key, "again-" + std::to_string(n));
            out.append(std::move(item));
        }
        return out;
    }
    Json make_object(const Schema::Node& schema) {
        Json out = Json::object();
        for (const auto& [name, property] : schema.properties) {
            if (schema.required.contains(name) || is_often()) out.set(name, make(*property));
        }
        for (std::int64_t n = schema.items ? make_size(schema) : 0; n > 0; --n) {
            const std::string& word = pick(words());
            out.set(out.find(word) == nullptr ? word : "k" + std::to_string(n),
                    make(*schema.items));
        }
        return out;
    }

    std::mt19937 random_;
};

class SchemaValidator {
public:
    /// Keeps the first complaint.
    void judge(const Schema::Node& schema, const Json& value, const std::string& where) {
        const auto n = value.integer();
        if (schema.type == "object") {
            judge_object(schema, value, where);
        } else if (schema.type == "array") {
            judge_array(schema, value, where);
        } else if (schema.type == "string") {
            const char* fault = value.is_text() ? text_fault(schema, value.text()) : "is no text";
            if (fault != nullptr) complain(where, fault);
        } else if (schema.type == "integer") {
            if (!n || *n < schema.low || *n > schema.high) complain(where, "is no such number");
        } else if (value.type() != Json::Type::boolean) {
            complain(where, "is not true or false");
        }
    }
    const std::string& complaint() const { return out_; }

private:
    void complain(const std::string& where, const std::string& what) {
        if (out_.empty()) out_ = where + " " + what;
    }
    void judge_array(const Schema::Node& schema, const Json& value, const std::string& where) {
        const std::int64_t size = std::ssize(value.items());
        if (!value.is_array() || size < schema.low || size > schema.high)
            complain(where, "is no such list");
        for (const Json& item : value.items()) judge(*schema.items, item, where + "[]");
    }
    void judge_object(const Schema::Node& schema, const Json& value, const std::string& where) {
        const std::int64_t size = std::ssize(value.members());
        if (!value.is_object() || size < schema.low || size > schema.high)
            complain(where, "is no such object");
        for (const std::string& name : schema.required) {
            if (value.find(name) == nullptr) complain(where, "lacks " + name);
        }
        for (const auto& [name, member] : value.members()) {
            const auto known = schema.properties.find(name);
            const bool is_known = known != schema.properties.end();
            if (!is_known && !schema.items) complain(where, "has " + name + ", which nobody knows");
            if (is_known || schema.items)
                judge(is_known ? *known->second : *schema.items, member, where + "." + name);
        }
    }

    std::string out_;
};

}  // namespace

Schema Schema::of_definition(const std::filesystem::path& yaml) {
    const YAML::Node definition = YAML::LoadFile(yaml.string());
    const YAML::Node schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    if (!schema) throw std::invalid_argument(yaml.string() + " has no schema");
    return Schema(read_schema(schema));
}

Schema Schema::member(const std::string& name) const { return Schema(node_->properties.at(name)); }

Json Schema::example(std::uint32_t seed) const { return ObjectGenerator(seed).make(*node_); }

std::string Schema::complaint(const Json& value) const {
    SchemaValidator judge;
    judge.judge(*node_, value, "the object");
    return judge.complaint();
}

}  // namespace capstan::replicas
