#include <capstan/testing/fake_settings.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <capstan/abi/settings.h>
#include <capstan/setting_rules.hpp>
#include <capstan/testing/setting_value.hpp>
#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// One place in the settings, which are fitted to a schema and flattened: a cursor is an index.
struct SettingNode {
    std::string path;
    ReadSetting value{};     ///< of a list or table: nothing
    bool is_secret = false;  ///< `value.text` is the name of a secret
    std::vector<std::pair<std::string, capstan_cursor>> children{};  ///< keys are empty in a list
};

/// nodes[cursor]; nodes[0] is unused.
using SettingNodes = std::vector<SettingNode>;

namespace {

WrittenValue written(const Value& value) {
    if (const auto* text = value.get_if<std::string>()) return std::string_view(*text);
    if (const auto* whole = value.get_if<std::int64_t>()) return *whole;
    if (const auto* number = value.get_if<double>()) return *number;
    if (const auto* flag = value.get_if<bool>()) return *flag;
    const auto* table = value.get_if<Value::Table>();
    if (table == nullptr) return WrittenOther{"an array"};
    const bool is_secret = table->size() == 1 && table->front().first == "secret";
    const auto* name = is_secret ? table->front().second.get_if<std::string>() : nullptr;
    if (name != nullptr) return WrittenSecret{*name};
    return WrittenOther{"a table"};
}

class SettingFitter {
public:
    Result<SettingNodes> fit_root(const Value::Table& values, std::optional<capstan_array> fields) {
        nodes_.resize(2);
        if (fields) {
            CAPSTAN_CHECK(fit_table(CAPSTAN_CURSOR_ROOT, values, *fields));
        } else {
            CAPSTAN_CHECK(fit_members(CAPSTAN_CURSOR_ROOT, values, nullptr));
        }
        return std::move(nodes_);
    }

    /// `field` is NULL without a schema.
    Result<capstan_cursor> fit(std::string path, const Value& value, const capstan_field* field) {
        const auto at = static_cast<capstan_cursor>(nodes_.size());
        nodes_.push_back({.path = std::move(path)});
        CAPSTAN_CHECK(fit_at(at, value, field));
        return at;
    }

private:
    Unexpected refuse(capstan_cursor at, std::string why) const {
        return fail(ErrorCode::invalid_config,
                    "setting " + nodes_[at].path + ": " + std::move(why));
    }
    Unexpected refuse(capstan_cursor at, std::string_view expected, const Value& found) const {
        return refuse(
            at, "expected " + std::string(expected) + ", found " + describe_value(written(found)));
    }

    Result<void> fit_at(capstan_cursor at, const Value& value, const capstan_field* field) {
        if (field == nullptr) return fit_free(at, value);
        if ((field->flags & CAPSTAN_FIELD_MAP) != 0) {
            const auto* table = value.get_if<Value::Table>();
            return table != nullptr ? fit_members(at, *table, field) : refuse(at, "a table", value);
        }
        if ((field->flags & CAPSTAN_FIELD_LIST) != 0) {
            const auto* list = value.get_if<Value::List>();
            return list != nullptr ? fit_items(at, *list, field) : refuse(at, "a list", value);
        }
        return fit_one(at, value, *field);
    }
    Result<void> fit_free(capstan_cursor at, const Value& value) {
        if (const auto* list = value.get_if<Value::List>()) return fit_items(at, *list, nullptr);
        if (const auto* table = value.get_if<Value::Table>())
            return fit_members(at, *table, nullptr);
        ReadSetting& read = nodes_[at].value;
        if (const auto* flag = value.get_if<bool>()) read.boolean = *flag;
        if (const auto* number = value.get_if<double>()) read.number = *number;
        if (const auto* whole = value.get_if<std::int64_t>()) {
            read.integer = *whole;
            read.number = static_cast<double>(*whole);
        }
        if (const auto* text = value.get_if<std::string>()) {
            read.text = *text;
            const Result<Duration> duration = parse_duration(*text);
            const Result<Quantity> quantity = parse_quantity(*text);
            if (duration || quantity)
                read.integer = duration ? duration->count() : quantity->value();
        }
        return {};
    }
    Result<void> fit_items(capstan_cursor at, const Value::List& items,
                           const capstan_field* field) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            CAPSTAN_CHECK(add(at, {}, nodes_[at].path + "[" + std::to_string(i) + "]", items[i],
                              of_one(field)));
        }
        return {};
    }
    Result<void> fit_members(capstan_cursor at, const Value::Table& members,
                             const capstan_field* field) {
        for (const auto& [key, value] : members)
            CAPSTAN_CHECK(add(at, key, below(at, key), value, of_one(field)));
        return {};
    }
    /// What one member or item is: with both flags, a member of the map is a list.
    const capstan_field* of_one(const capstan_field* field) {
        if (field == nullptr) return nullptr;
        const bool map = (field->flags & CAPSTAN_FIELD_MAP) != 0;
        const auto outer = static_cast<std::uint32_t>(map ? CAPSTAN_FIELD_MAP : CAPSTAN_FIELD_LIST);
        item_field_.push_back(std::make_unique<capstan_field>(*field));
        item_field_.back()->flags &= ~outer;
        return item_field_.back().get();
    }
    Result<void> add(capstan_cursor at, std::string key, std::string path, const Value& value,
                     const capstan_field* field) {
        CAPSTAN_TRY(const capstan_cursor child, fit(std::move(path), value, field));
        nodes_[at].children.emplace_back(std::move(key), child);
        return {};
    }
    std::string below(capstan_cursor at, std::string_view key) const {
        return nodes_[at].path + (nodes_[at].path.empty() ? "" : ".") + std::string(key);
    }

    Result<void> fit_one(capstan_cursor at, const Value& value, const capstan_field& field) {
        if (field.type == CAPSTAN_TYPE_TABLE) {
            const auto* members = value.get_if<Value::Table>();
            return members != nullptr ? fit_table(at, *members, field.fields)
                                      : refuse(at, "a table", value);
        }
        Result<ReadSetting> read = read_setting(rule_of(field), written(value));
        if (!read) return refuse(at, read.error().message);
        nodes_[at].value = *std::move(read);
        nodes_[at].is_secret = field.type == CAPSTAN_TYPE_SECRET;
        const std::optional<std::string>& text = nodes_[at].value.text;
        const bool is_regex = field.type == CAPSTAN_TYPE_REGEX;
        return is_regex && text ? fit_regex(at, *text) : Result<void>();
    }
    // The host has RE2, the SDK nothing but the standard library: what both refuse is refused here.
    Result<void> fit_regex(capstan_cursor at, const std::string& text) const {
        try {
            std::regex(text, std::regex::ECMAScript);
            return {};
        } catch (const std::regex_error& e) {
            return refuse(at, "\"" + text + "\" is not a regular expression: " + e.what());
        }
    }

    /// A table with known keys: those given in their order, then the defaults of the others.
    Result<void> fit_table(capstan_cursor at, const Value::Table& members, capstan_array fields) {
        const View<capstan_field> known(fields);
        for (const auto& [key, value] : members) {
            const auto field =
                std::find_if(known.begin(), known.end(),
                             [&](const capstan_field& f) { return capstan::text(f.key) == key; });
            if (field == known.end()) return refuse(at, "has no member \"" + key + "\"");
            CAPSTAN_CHECK(add(at, key, below(at, key), value, &*field));
        }
        for (const capstan_field& field : known) {
            const std::string key(capstan::text(field.key));
            const bool given = std::any_of(members.begin(), members.end(),
                                           [&](const auto& member) { return member.first == key; });
            if (!given) CAPSTAN_CHECK(add_default(at, key, field));
        }
        return {};
    }
    Result<void> add_default(capstan_cursor at, const std::string& key,
                             const capstan_field& field) {
        if ((field.flags & CAPSTAN_FIELD_REQUIRED) != 0) {
            return fail(ErrorCode::invalid_config,
                        "setting " + below(at, key) + ": required but not set");
        }
        const std::string_view absent = absent_value(field);
        if (absent.empty()) return {};
        CAPSTAN_TRY(const Value value, parse_toml_value(absent));
        return add(at, key, below(at, key), value, &field);
    }

    SettingNodes nodes_;
    std::vector<std::unique_ptr<capstan_field>> item_field_;
};

/// `values` with the defaults of `fields`, or as they are without a schema. The error names the
/// key.
Result<SettingNodes> fit_settings(const Value::Table& values, std::optional<capstan_array> fields) {
    return SettingFitter().fit_root(values, fields);
}

/// One value of a field on its own: type, bounds, allowed values.
Result<void> fit_value(const Value& value, const capstan_field& field) {
    CAPSTAN_CHECK(SettingFitter().fit(std::string(text(field.key)), value, &field));
    return {};
}

}  // namespace

struct FakeSettings::Tree {
    std::unique_ptr<capstan::detail::AbiSchema> schema;
    std::optional<capstan_array> fields;
    Value::Table values;
    SettingNodes nodes;  ///< empty: to be made
    std::vector<Rejection> rejections;
    capstan_settings raw{};

    static Tree& of(const capstan_settings* settings) noexcept {
        return *static_cast<Tree*>(settings->ctx);
    }
    static const SettingNode* find(const capstan_settings* settings, capstan_cursor at) noexcept {
        const SettingNodes& nodes = of(settings).nodes;
        return at != CAPSTAN_CURSOR_NONE && at < nodes.size() ? &nodes[at] : nullptr;
    }
    static capstan_cursor member(const capstan_settings* settings, capstan_cursor table,
                                 capstan_str key) noexcept {
        const SettingNode* node = find(settings, table);
        if (node == nullptr || key.len == 0) return CAPSTAN_CURSOR_NONE;
        const auto at = std::find_if(node->children.begin(), node->children.end(),
                                     [&](const auto& child) { return child.first == text(key); });
        return at != node->children.end() ? at->second : CAPSTAN_CURSOR_NONE;
    }
    static std::uint32_t size(const capstan_settings* settings, capstan_cursor at) noexcept {
        const SettingNode* node = find(settings, at);
        return node != nullptr ? static_cast<std::uint32_t>(node->children.size()) : 0;
    }
    static capstan_cursor item(const capstan_settings* settings, capstan_cursor at,
                               std::uint32_t index, capstan_str* key) noexcept {
        const SettingNode* node = find(settings, at);
        if (node == nullptr || index >= node->children.size()) return CAPSTAN_CURSOR_NONE;
        if (key != nullptr) *key = str(node->children[index].first);
        return node->children[index].second;
    }
    template <class Member, class Out, class Convert>
    static capstan_status get(const capstan_settings* settings, capstan_cursor at, Member member,
                              Out* out, Convert convert) noexcept {
        const SettingNode* node = find(settings, at);
        if (node == nullptr) return CAPSTAN_E_NOT_FOUND;
        const auto& read = node->value.*member;
        if (!read) return CAPSTAN_E_INVALID_ARGUMENT;
        *out = convert(*read);
        return CAPSTAN_OK;
    }
    static capstan_status get_text(const capstan_settings* settings, capstan_cursor at,
                                   capstan_str* out) noexcept {
        return get(settings, at, &ReadSetting::text, out,
                   [](const std::string& s) { return str(s); });
    }
    static capstan_status get_integer(const capstan_settings* settings, capstan_cursor at,
                                      std::int64_t* out) noexcept {
        return get(settings, at, &ReadSetting::integer, out, [](std::int64_t i) { return i; });
    }
    static capstan_status get_float(const capstan_settings* settings, capstan_cursor at,
                                    double* out) noexcept {
        return get(settings, at, &ReadSetting::number, out, [](double d) { return d; });
    }
    static capstan_status get_boolean(const capstan_settings* settings, capstan_cursor at,
                                      std::int32_t* out) noexcept {
        return get(settings, at, &ReadSetting::boolean, out,
                   [](bool b) { return std::int32_t(b ? 1 : 0); });
    }
    static capstan_status reject(const capstan_settings* settings, capstan_cursor at,
                                 capstan_str why) noexcept {
        const SettingNode* node = find(settings, at);
        of(settings).rejections.push_back(
            {node != nullptr ? node->path : std::string(), std::string(text(why))});
        return CAPSTAN_E_INVALID_CONFIG;
    }
};

FakeSettings::FakeSettings() : tree_(std::make_unique<Tree>()) {
    tree_->raw = {sizeof(capstan_settings),
                  0,
                  tree_.get(),
                  &Tree::member,
                  &Tree::size,
                  &Tree::item,
                  &Tree::get_text,
                  &Tree::get_integer,
                  &Tree::get_float,
                  &Tree::get_boolean,
                  &Tree::reject};
}

FakeSettings::FakeSettings(const Schema& schema) : FakeSettings() {
    tree_->schema = std::make_unique<capstan::detail::AbiSchema>(schema);
    tree_->fields = tree_->schema->fields();
}

FakeSettings::FakeSettings(capstan_array fields) : FakeSettings() { tree_->fields = fields; }

FakeSettings::FakeSettings(FakeSettings&&) noexcept = default;
FakeSettings::~FakeSettings() = default;

FakeSettings& FakeSettings::set(std::string key, Value value) {
    Value::Table& values = tree_->values;
    const auto at =
        std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == key; });
    if (at != values.end()) {
        at->second = std::move(value);
    } else {
        values.emplace_back(std::move(key), std::move(value));
    }
    tree_->nodes.clear();
    return *this;
}

FakeSettings& FakeSettings::set_all(const Value::Table& values) {
    for (const auto& [key, value] : values) set(key, value);
    return *this;
}

const capstan_settings* FakeSettings::raw() {
    if (tree_->nodes.empty()) {
        Result<SettingNodes> nodes = fit_settings(tree_->values, tree_->fields);
        if (!nodes) throw std::invalid_argument(nodes.error().message);
        tree_->nodes = std::move(*nodes);
    }
    return &tree_->raw;
}

std::vector<std::string> FakeSettings::secrets() {
    raw();
    std::vector<std::string> out;
    for (const SettingNode& node : tree_->nodes) {
        if (node.is_secret && node.value.text) out.push_back(*node.value.text);
    }
    return out;
}

const std::vector<Rejection>& FakeSettings::rejections() const noexcept {
    return tree_->rejections;
}

Result<Value> read_default(const capstan_field& field) {
    if (field.default_value.len == 0) return fail(ErrorCode::not_found, "no default");
    CAPSTAN_TRY(Value value, parse_toml_value(text(field.default_value)));
    CAPSTAN_CHECK(fit_value(value, field));
    return value;
}

std::vector<std::string> required_keys(capstan_array fields) {
    std::vector<std::string> out;
    for (const capstan_field& field : View<capstan_field>(fields)) {
        if ((field.flags & CAPSTAN_FIELD_REQUIRED) != 0) out.emplace_back(text(field.key));
    }
    return out;
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
