#include <capstan/testing/fake_settings.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "setting_tree.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

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
