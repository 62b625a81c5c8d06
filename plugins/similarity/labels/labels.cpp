#include "labels.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/hash.hpp>
#include <capstan/sentence.hpp>

#include "../ordered.hpp"

namespace capstan::similarity {
namespace {

struct Label {
    std::string_view key, value;
};

std::vector<Label> labels_of(const TemplateView& node) {
    return ordered_by(&Label::key, node.labels(), [](const capstan_kv& pair) {
        return Label{text(pair.key), text(pair.value)};
    });
}

/// A label that is not the same on two nodes. Absent: the node does not have the label.
struct Difference {
    std::string_view key;
    std::optional<std::string_view> on_a, on_b;
};

std::vector<Difference> differences(const std::vector<Label>& on_a,
                                    const std::vector<Label>& on_b) {
    std::vector<Difference> out;
    auto a = on_a.begin();
    auto b = on_b.begin();
    while (a != on_a.end() || b != on_b.end()) {
        if (b == on_b.end() || (a != on_a.end() && a->key < b->key)) {
            out.push_back({a->key, a->value, std::nullopt});
            ++a;
        } else if (a == on_a.end() || b->key < a->key) {
            out.push_back({b->key, std::nullopt, b->value});
            ++b;
        } else {
            if (a->value != b->value) out.push_back({a->key, a->value, b->value});
            ++a;
            ++b;
        }
    }
    return out;
}

Similarity differ(const Difference& d, const TemplateView& a, const TemplateView& b) {
    const std::string key(d.key);
    if (d.on_a && d.on_b) {
        return differs("label " + key + " differs: " + in_quotes(*d.on_a) + " and " +
                       in_quotes(*d.on_b));
    }
    CAPSTAN_ASSERT(d.on_a || d.on_b, "a label that differs is on no node");
    const TemplateView& with = d.on_a ? a : b;
    const TemplateView& without = d.on_a ? b : a;
    return differs("label " + key + " is missing on " + std::string(without.name()) + ", " +
                   std::string(with.name()) + " has " + in_quotes(d.on_a ? *d.on_a : *d.on_b));
}

std::optional<Similarity> find_decision(const LabelsConfig::Keys& same, const TemplateView& a,
                                        const TemplateView& b) {
    for (const std::string& key : same) {
        const auto on_a = find(a.labels(), key);
        if (on_a && !on_a->empty() && on_a == find(b.labels(), key)) {
            return decided("both have label " + key + "=" + std::string(*on_a));
        }
    }
    return std::nullopt;
}

Similarity compare_only(const LabelsConfig::Keys& only, const TemplateView& a,
                        const TemplateView& b) {
    for (const std::string& key : only) {
        const auto on_a = find(a.labels(), key);
        const auto on_b = find(b.labels(), key);
        if (!on_a && !on_b) return differs("label " + key + " is missing on both");
        if (on_a != on_b) return differ({key, on_a, on_b}, a, b);
    }
    const auto itself = [](const std::string& key) { return key; };
    return agrees(counted(static_cast<std::int64_t>(only.size()), "label") +
                  " equal: " + listed(only, itself));
}

Similarity compare_all(const LabelsConfig& config, const TemplateView& a, const TemplateView& b) {
    const std::vector<Label> on_a = labels_of(a);
    const std::vector<Difference> found = differences(on_a, labels_of(b));
    // Only labels that differ are looked up in `ignore...`, because regular expressions are costly.
    for (const Difference& d : found) {
        if (!config.is_ignored(d.key)) return differ(d, a, b);
    }
    const auto missing =
        std::count_if(found.begin(), found.end(), [](const Difference& d) { return !d.on_a; });
    const auto equal =
        static_cast<std::int64_t>(on_a.size() + static_cast<std::size_t>(missing) - found.size());
    const auto key = [](const Difference& d) { return d.key; };
    return agrees(counted(equal, "label") + " equal" +
                  (found.empty() ? std::string() : ", ignored: " + listed(found, key)));
}

void add_to(Hash& hash, const Label& label) {
    hash.add(label.key);
    hash.add(label.value);
}

}  // namespace

Similarity LabelsCheck::similar(const Call&, const TemplateView& a, const TemplateView& b) const {
    if (auto decision = find_decision(config_.same, a, b)) return *std::move(decision);
    return config_.only.empty() ? compare_all(config_, a, b) : compare_only(config_.only, a, b);
}

std::uint64_t LabelsCheck::bucket(const Call&, const TemplateView& node) const {
    Hash hash;
    for (const Label& label : labels_of(node)) {
        if (is_compared(label.key)) add_to(hash, label);
    }
    return hash.value();
}

std::uint64_t LabelsCheck::equivalence(const Call&, const TemplateView& node) const {
    Hash hash;
    for (const Label& label : labels_of(node)) {
        if (is_compared(label.key) || config_.same.count(label.key) != 0) add_to(hash, label);
    }
    return hash.value();
}

bool LabelsCheck::is_compared(std::string_view key) const {
    return config_.only.empty() ? !config_.is_ignored(key) : config_.only.count(key) != 0;
}

}  // namespace capstan::similarity
