/// Draft ids of kinds, interfaces and services: this host knows them, and their contracts may still
/// change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace capstan::plugin_runtime::services {

/// The list, not the name, makes an id a draft. The id keeps its name when it becomes stable, so
/// that a plugin file that was built against the last draft goes on working.
struct DraftIds {
    std::vector<std::string_view> ids{};
    bool are_served = false;  ///< `[trust] drafts`

    bool contains(std::string_view id) const;
    bool withholds(std::string_view id) const { return !are_served && contains(id); }
};

/// The drafts of this host; there are none at present.
DraftIds draft_ids(bool are_served = false);

/// "capstan.magic/1 is a draft interface and may change in the next version; set trust.drafts =
/// true to allow it".
std::string withheld_text(std::string_view id);

}  // namespace capstan::plugin_runtime::services
