#include "runtime/services/drafts.hpp"

#include <algorithm>

namespace capstan::runtime::services {

bool DraftIds::contains(std::string_view id) const {
    return std::ranges::find(ids, id) != ids.end();
}

DraftIds draft_ids(bool are_served) { return {.ids = {}, .are_served = are_served}; }

std::string withheld_text(std::string_view id) {
    return std::string(id) +
           " is a draft, which the next host may have in another shape; `drafts = true` in [trust] "
           "serves it";
}

}  // namespace capstan::runtime::services
