/// Validated settings for a plugin: the cursor of abi/settings.h over a SettingValue.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/abi/settings.h>

#include "config/diagnostics.hpp"
#include "config/validated_settings.hpp"

namespace capstan::config {

/// An argument of `check`, `create` or `reconfigure`. Borrows `settings` and `diagnostics`. It is
/// neither copied nor moved, because the plugin has its address. A cursor of any value is safe; an
/// invalid one refers to no value. One thread at a time.
class SettingsView {
public:
    /// `path` names the settings in messages ("plugin.aws.settings"). The plugin's rejections go to
    /// `diagnostics`; if that is NULL, they are only counted.
    SettingsView(const SettingValue& settings, std::string path, Diagnostics* diagnostics);
    SettingsView(const SettingsView&) = delete;
    SettingsView& operator=(const SettingsView&) = delete;

    const capstan_settings* abi() const noexcept { return &abi_; }
    /// How often the plugin called `reject`. The first fifty rejections are recorded.
    std::size_t rejections() const noexcept { return rejections_; }

private:
    /// A value and where its children start; children of one value have consecutive cursors.
    struct Entry {
        const SettingValue* value;
        std::uint32_t first_child;
        std::uint32_t parent;
    };
    struct Calls;

    const Entry* entry(capstan_cursor at) const noexcept;
    std::string path_of(capstan_cursor at) const;
    void reject(capstan_cursor at, std::string_view why);

    std::vector<Entry> entries_;
    std::string path_;
    Diagnostics* diagnostics_;
    std::size_t rejections_ = 0;
    capstan_settings abi_{};
};

}  // namespace capstan::config
