/// Sorts the lists of a node template, so that the lists of two templates can be compared in one
/// walk.
#pragma once

#include <algorithm>
#include <vector>

#include <capstan/view.hpp>

namespace capstan::similarity {

/// The entries of `list`, converted by `read` and ordered by `key`. The first entry counts if a
/// key occurs twice.
template <class Entry, class Key, class Raw, class Read>
std::vector<Entry> ordered_by(Key Entry::* key, View<Raw> list, Read read) {
    std::vector<Entry> out;
    out.reserve(list.size());
    for (const Raw& raw : list) out.push_back(read(raw));
    const auto before = [key](const Entry& a, const Entry& b) { return a.*key < b.*key; };
    // The lists of the host are usually sorted already.
    if (!std::is_sorted(out.begin(), out.end(), before))
        std::stable_sort(out.begin(), out.end(), before);
    const auto twins = [key](const Entry& a, const Entry& b) { return a.*key == b.*key; };
    out.erase(std::unique(out.begin(), out.end(), twins), out.end());
    return out;
}

}  // namespace capstan::similarity
