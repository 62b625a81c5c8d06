#include <algorithm>

#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine::drainability {
namespace {

/// Whether `name` is in a list like "cache, tmp".
bool is_listed(std::string_view list, std::string_view name) {
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string_view item = list.substr(0, comma);
        item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
        if (item.substr(0, item.find_last_not_of(' ') + 1) == name) return true;
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return false;
}

}  // namespace

Opinion judge_local_storage(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                            const DrainContext& context) {
    if (row.spec->local_volumes.empty() ||
        !context.settings.scale_down.skip_nodes_with_local_storage) {
        return std::nullopt;
    }
    const auto written = snapshot::find_label(context.cluster, row.annotations,
                                              well_known::safe_to_evict_volumes_annotation);
    const std::string_view safe = written ? context.cluster.text(*written) : std::string_view();
    std::vector<std::string> kept = row.spec->local_volumes;
    std::erase_if(kept, [&](const std::string& volume) { return is_listed(safe, volume); });
    if (kept.empty()) return std::nullopt;
    return block(pod, row, context, "LocalStorageRequested",
                 std::string(" uses local storage: ") +
                     (kept.size() == 1 ? "volume " : "volumes ") +
                     listed(kept, [](const std::string& volume) { return volume; }));
}

}  // namespace capstan::engine::drainability
