#include "setting_tree.hpp"

#include <algorithm>
#include <regex>

#include <capstan/duration.hpp>
#include <capstan/quantity.hpp>
#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

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
            at, "expected " + std::string(expected) + ", found " + std::string(type_name(found)));
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
        keep(at, value);
        if (const auto* text = value.get_if<std::string>()) {
            const Result<Duration> duration = parse_duration(*text);
            const Result<Quantity> quantity = parse_quantity(*text);
            if (duration || quantity)
                nodes_[at].integer = duration ? duration->count() : quantity->value();
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

    void keep(capstan_cursor at, const Value& value) {
        SettingNode& node = nodes_[at];
        if (const auto* text = value.get_if<std::string>()) node.text = *text;
        if (const auto* flag = value.get_if<bool>()) node.boolean = *flag;
        if (const auto* number = value.get_if<double>()) node.number = *number;
        if (const auto* whole = value.get_if<std::int64_t>()) {
            node.integer = *whole;
            node.number = static_cast<double>(*whole);
        }
    }
    Result<void> fit_one(capstan_cursor at, const Value& value, const capstan_field& field) {
        switch (field.type) {
            case CAPSTAN_TYPE_TABLE: {
                const auto* members = value.get_if<Value::Table>();
                return members != nullptr ? fit_table(at, *members, field.fields)
                                          : refuse(at, "a table", value);
            }
            case CAPSTAN_TYPE_INTEGER:
                if (value.get_if<std::int64_t>() == nullptr) return refuse(at, "an integer", value);
                keep(at, value);
                return fit_bounds(at, field, *nodes_[at].number);
            case CAPSTAN_TYPE_FLOAT:
                keep(at, value);
                nodes_[at].integer.reset();
                if (!nodes_[at].number) return refuse(at, "a number", value);
                return fit_bounds(at, field, *nodes_[at].number);
            case CAPSTAN_TYPE_BOOLEAN:
                keep(at, value);
                return nodes_[at].boolean ? Result<void>() : refuse(at, "a boolean", value);
            case CAPSTAN_TYPE_SECRET: return fit_secret(at, value);
            default: return fit_text(at, value, field);
        }
    }
    Result<void> fit_bounds(capstan_cursor at, const capstan_field& field, double number) const {
        const bool has_min = (field.flags & CAPSTAN_FIELD_MIN) != 0;
        const bool has_max = (field.flags & CAPSTAN_FIELD_MAX) != 0;
        if (!(has_min && number < field.min) && !(has_max && number > field.max)) return {};
        const std::string least = shown(field.min, field), most = shown(field.max, field);
        const std::string bounds = !has_max   ? "at least " + least
                                   : !has_min ? "at most " + most
                                              : "from " + least + " to " + most;
        return refuse(at, "must be " + bounds + ", is " + shown(number, field));
    }
    static std::string shown(double number, const capstan_field& field) {
        if (field.type == CAPSTAN_TYPE_DURATION)
            return format_duration(Duration(static_cast<std::int64_t>(number)));
        std::string out = std::to_string(number);
        out.erase(out.find_last_not_of('0') + 1);
        if (out.back() == '.') out.pop_back();
        return out;
    }
    Result<void> fit_secret(capstan_cursor at, const Value& value) {
        const auto* table = value.get_if<Value::Table>();
        const bool named =
            table != nullptr && table->size() == 1 && table->front().first == "secret";
        const auto* name =
            named ? table->front().second.get_if<std::string>() : value.get_if<std::string>();
        if (name == nullptr) return refuse(at, "{ secret = \"name\" }", value);
        nodes_[at].text = *name;
        nodes_[at].is_secret = true;
        return {};
    }
    Result<void> fit_text(capstan_cursor at, const Value& value, const capstan_field& field) {
        const auto* text = value.get_if<std::string>();
        if (field.type == CAPSTAN_TYPE_QUANTITY && value.get_if<std::int64_t>() != nullptr) {
            return fit_quantity(at, std::to_string(*value.get_if<std::int64_t>()), field);
        }
        if (text == nullptr) return refuse(at, "a string", value);
        nodes_[at].text = *text;
        if (field.type == CAPSTAN_TYPE_DURATION) return fit_duration(at, *text, field);
        if (field.type == CAPSTAN_TYPE_QUANTITY) return fit_quantity(at, *text, field);
        if (field.type == CAPSTAN_TYPE_ENUM) return fit_enum(at, *text, field);
        if (field.type == CAPSTAN_TYPE_REGEX) return fit_regex(at, *text);
        if (field.type != CAPSTAN_TYPE_URL || text->empty() ||
            text->find("://") != std::string::npos)
            return {};
        return refuse(at, "\"" + *text + "\" is no URL");
    }
    Result<void> fit_duration(capstan_cursor at, const std::string& text,
                              const capstan_field& field) {
        const Result<Duration> duration = parse_duration(text);
        if (!duration) return refuse(at, duration.error().message);
        nodes_[at].integer = duration->count();
        return fit_bounds(at, field, static_cast<double>(duration->count()));
    }
    Result<void> fit_quantity(capstan_cursor at, std::string text, const capstan_field& field) {
        const Result<Quantity> quantity = parse_quantity(text);
        if (!quantity) return refuse(at, quantity.error().message);
        nodes_[at].text = std::move(text);
        nodes_[at].integer = quantity->value();
        return fit_bounds(at, field, static_cast<double>(quantity->value()));
    }
    Result<void> fit_enum(capstan_cursor at, const std::string& text,
                          const capstan_field& field) const {
        std::string allowed;
        for (const capstan_str& value : View<capstan_str>(field.allowed)) {
            if (capstan::text(value) == text) return {};
            allowed += (allowed.empty() ? "" : ", ") + std::string(capstan::text(value));
        }
        return refuse(at, "\"" + text + "\" is none of " + allowed);
    }
    // The host has RE2, the SDK nothing but the standard library: what both refuse is refused here.
    Result<void> fit_regex(capstan_cursor at, const std::string& text) const {
        try {
            std::regex(text, std::regex::ECMAScript);
            return {};
        } catch (const std::regex_error& e) {
            return refuse(at, "\"" + text + "\" is no regular expression: " + e.what());
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
                        "setting " + below(at, key) + ": is required and was not given");
        }
        const std::string_view written = capstan::text(field.default_value);
        if (!written.empty()) {
            CAPSTAN_TRY(const Value value, parse_toml_value(written));
            return add(at, key, below(at, key), value, &field);
        }
        // A table that is not there still has those of its members that have defaults.
        const bool one_table = field.type == CAPSTAN_TYPE_TABLE &&
                               (field.flags & (CAPSTAN_FIELD_LIST | CAPSTAN_FIELD_MAP)) == 0;
        return one_table && has_defaults(field.fields)
                   ? add(at, key, below(at, key), Value(Value::Table()), &field)
                   : Result<void>();
    }
    static bool has_defaults(capstan_array fields) {
        const View<capstan_field> members(fields);
        const bool needs = std::any_of(members.begin(), members.end(), [](const capstan_field& f) {
            return (f.flags & CAPSTAN_FIELD_REQUIRED) != 0;
        });
        return !needs && std::any_of(members.begin(), members.end(), [](const capstan_field& f) {
            return f.default_value.len != 0;
        });
    }

    SettingNodes nodes_;
    std::vector<std::unique_ptr<capstan_field>> item_field_;
};

}  // namespace

Result<SettingNodes> fit_settings(const Value::Table& values, std::optional<capstan_array> fields) {
    return SettingFitter().fit_root(values, fields);
}

Result<void> fit_value(const Value& value, const capstan_field& field) {
    CAPSTAN_CHECK(SettingFitter().fit(std::string(text(field.key)), value, &field));
    return {};
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
