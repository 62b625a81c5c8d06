/// Lists of a template in an order in which two of them can be walked side by side.
#pragma once

#include <algorithm>
#include <vector>

#include <capstan/view.hpp>

namespace capstan::similarity {

/// What `read` makes of each entry, ordered by `key`; of a key given twice the first counts.
template <class Entry, class Key, class Raw, class Read>
std::vector<Entry> ordered_by(Key Entry::* key, View<Raw> list, Read read) {
    std::vector<Entry> out;
    out.reserve(list.size());
    for (const Raw& raw : list) out.push_back(read(raw));
    const auto before = [key](const Entry& a, const Entry& b) { return a.*key < b.*key; };
    // The host orders them already, as a rule.
    if (!std::is_sorted(out.begin(), out.end(), before))
        std::stable_sort(out.begin(), out.end(), before);
    const auto twins = [key](const Entry& a, const Entry& b) { return a.*key == b.*key; };
    out.erase(std::unique(out.begin(), out.end(), twins), out.end());
    return out;
}

}  // namespace capstan::similarity
