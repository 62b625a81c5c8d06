/// Ids that this host knows and may still change: of kinds, of interfaces and of services.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace capstan::runtime::services {

/// An id is a draft by this list and not by its name, which it keeps when it becomes stable: a file
/// built against the last draft goes on working then.
struct DraftIds {
    std::vector<std::string_view> ids{};
    bool are_served = false;  ///< `[trust] drafts`

    bool contains(std::string_view id) const;
    bool withholds(std::string_view id) const { return !are_served && contains(id); }
};

/// This host's own; there is none at present.
DraftIds draft_ids(bool are_served = false);

/// "capstan.magic/1 is a draft ...; `drafts = true` in [trust] serves it".
std::string withheld_text(std::string_view id);

}  // namespace capstan::runtime::services
