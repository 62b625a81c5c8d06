#include "config/balancing.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace capstan::config {
namespace {

/// NULL: the tree lacks the setting, because the file's value has the wrong type.
template <class Tree>
Tree* find_setting(Tree& tree, std::initializer_list<std::string_view> keys) {
    Tree* at = &tree;
    for (const std::string_view key : keys) {
        const auto next = std::ranges::find(at->children, key, &SettingValue::key);
        if (next == at->children.end()) return nullptr;
        at = &*next;
    }
    return at;
}

}  // namespace

void apply_balancing_defaults(SettingValue& tree) {
    SettingValue* const checks = find_setting(tree, {"pipeline", "scale_up", "similarity"});
    SettingValue* const is_on = find_setting(tree, {"scale_up", "balance_similar"});
    if (checks == nullptr || is_on == nullptr) return;
    if (checks->children.empty() && is_on->defaulted) is_on->boolean = false;
}

void check_balancing(const Config& config, Diagnostics& diagnostics) {
    const SettingValue* const is_on = find_setting(config.tree, {"scale_up", "balance_similar"});
    if (is_on == nullptr || is_on->defaulted || !is_on->boolean) return;
    if (!config.pipeline.scale_up.similarity.empty()) return;
    diagnostics.error(is_on->key_place,
                      "scale_up.balance_similar: true needs similarity checks; remove similarity = "
                      "[] from [pipeline.scale_up]");
}

}  // namespace capstan::config
