#include "plugin_runtime/services/drafts.hpp"

#include <algorithm>

namespace capstan::plugin_runtime::services {

bool DraftIds::contains(std::string_view id) const {
    return std::ranges::find(ids, id) != ids.end();
}

DraftIds draft_ids(bool are_served) { return {.ids = {}, .are_served = are_served}; }

std::string withheld_text(std::string_view id) {
    return std::string(id) +
           " is a draft interface and may change in the next version; set trust.drafts = true to "
           "allow it";
}

}  // namespace capstan::plugin_runtime::services
