#include "config/settings_view.hpp"

#include <utility>

#include <capstan/abi/error.h>
#include <capstan/view.hpp>

#include "config/text.hpp"

namespace capstan::config {
namespace {

constexpr std::size_t recorded_max = 50;
constexpr std::size_t why_characters_max = 1000;

bool has_text(SettingType type) {
    switch (type) {
        case SettingType::integer:
        case SettingType::number:
        case SettingType::boolean:
        case SettingType::table: return false;
        default: return true;
    }
}

}  // namespace

/// The functions of the ABI's table. They must not throw. Only `reject` allocates; it drops the
/// message where memory is exhausted.
struct SettingsView::Calls {
    static SettingsView& self(const capstan_settings* settings) {
        return *static_cast<SettingsView*>(settings->ctx);
    }

    static capstan_cursor member(const capstan_settings* settings, capstan_cursor table,
                                 capstan_str key) noexcept {
        const Entry* at = self(settings).entry(table);
        if (at == nullptr || at->value->shape != SettingValue::Shape::table)
            return CAPSTAN_CURSOR_NONE;
        for (std::uint32_t i = 0; i < at->value->children.size(); ++i) {
            if (at->value->children[i].key == text(key)) return at->first_child + i;
        }
        return CAPSTAN_CURSOR_NONE;
    }

    static std::uint32_t size(const capstan_settings* settings, capstan_cursor cursor) noexcept {
        const Entry* at = self(settings).entry(cursor);
        return at == nullptr ? 0 : static_cast<std::uint32_t>(at->value->children.size());
    }

    static capstan_cursor item(const capstan_settings* settings, capstan_cursor cursor,
                               std::uint32_t index, capstan_str* key) noexcept {
        const Entry* at = self(settings).entry(cursor);
        if (at == nullptr || index >= at->value->children.size()) return CAPSTAN_CURSOR_NONE;
        if (key != nullptr) *key = str(at->value->children[index].key);
        return at->first_child + index;
    }

    /// CAPSTAN_OK and the value, if it is neither a list nor a table and `fits` is true for it.
    template <class Fits>
    static std::pair<capstan_status, const SettingValue*> value(const capstan_settings* settings,
                                                                capstan_cursor cursor,
                                                                const void* out,
                                                                Fits fits) noexcept {
        const Entry* at = self(settings).entry(cursor);
        if (at == nullptr) return {CAPSTAN_E_NOT_FOUND, nullptr};
        const bool good = out != nullptr && at->value->shape == SettingValue::Shape::value &&
                          fits(at->value->type);
        return {good ? CAPSTAN_OK : CAPSTAN_E_INVALID_ARGUMENT, at->value};
    }

    static capstan_status get_text(const capstan_settings* settings, capstan_cursor cursor,
                                   capstan_str* out) noexcept {
        const auto [status, found] = value(settings, cursor, out, has_text);
        if (status == CAPSTAN_OK) *out = str(found->text);
        return status;
    }

    static capstan_status get_integer(const capstan_settings* settings, capstan_cursor cursor,
                                      std::int64_t* out) noexcept {
        const auto [status, found] = value(settings, cursor, out, [](SettingType type) {
            return type == SettingType::integer || type == SettingType::duration ||
                   type == SettingType::quantity;
        });
        if (status == CAPSTAN_OK) *out = found->integer;
        return status;
    }

    static capstan_status get_float(const capstan_settings* settings, capstan_cursor cursor,
                                    double* out) noexcept {
        const auto [status, found] = value(settings, cursor, out, [](SettingType type) {
            return type == SettingType::integer || type == SettingType::number;
        });
        if (status != CAPSTAN_OK) return status;
        *out = found->type == SettingType::integer ? static_cast<double>(found->integer)
                                                   : found->number;
        return status;
    }

    static capstan_status get_boolean(const capstan_settings* settings, capstan_cursor cursor,
                                      std::int32_t* out) noexcept {
        const auto [status, found] = value(
            settings, cursor, out, [](SettingType type) { return type == SettingType::boolean; });
        if (status == CAPSTAN_OK) *out = found->boolean ? 1 : 0;
        return status;
    }

    static capstan_status reject(const capstan_settings* settings, capstan_cursor cursor,
                                 capstan_str why) noexcept {
        try {
            self(settings).reject(cursor, text(why));
        } catch (...) {
            return CAPSTAN_E_INTERNAL;
        }
        return CAPSTAN_E_INVALID_CONFIG;
    }
};

SettingsView::SettingsView(const SettingValue& settings, std::string path, Diagnostics* diagnostics)
    : path_(std::move(path)), diagnostics_(diagnostics) {
    entries_.push_back({&settings, 0, 0});
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const SettingValue& value = *entries_[i].value;
        entries_[i].first_child = static_cast<std::uint32_t>(entries_.size() + 1);
        for (const SettingValue& child : value.children) {
            entries_.push_back({&child, 0, static_cast<std::uint32_t>(i + 1)});
        }
    }
    abi_ = {sizeof(capstan_settings),
            0,
            this,
            Calls::member,
            Calls::size,
            Calls::item,
            Calls::get_text,
            Calls::get_integer,
            Calls::get_float,
            Calls::get_boolean,
            Calls::reject};
}

const SettingsView::Entry* SettingsView::entry(capstan_cursor at) const noexcept {
    return at == CAPSTAN_CURSOR_NONE || at > entries_.size() ? nullptr : &entries_[at - 1];
}

std::string SettingsView::path_of(capstan_cursor at) const {
    const Entry* here = entry(at);
    if (here == nullptr || here->parent == 0) return path_;
    const Entry& parent = *entry(here->parent);
    const std::string above = path_of(here->parent);
    if (parent.value->shape == SettingValue::Shape::table)
        return join_path(above, here->value->key);
    return above + "[" + std::to_string(at - parent.first_child) + "]";
}

void SettingsView::reject(capstan_cursor at, std::string_view why) {
    if (++rejections_ > recorded_max || diagnostics_ == nullptr) return;
    const Entry* here = entry(at) != nullptr ? entry(at) : entry(CAPSTAN_CURSOR_ROOT);
    diagnostics_->error(here->value->place,
                        path_of(at) + ": " + shortened(why, why_characters_max));
}

}  // namespace capstan::config
