#include "engine/scheduling/predicates/volume_restrictions.hpp"

#include <capstan/sentence.hpp>

namespace capstan::engine::scheduling {

std::optional<std::string> check_volume_restrictions(const VolumeNeeds& needs,
                                                     const std::set<std::string>& in_use) {
    for (const std::string& claim : needs.exclusive) {
        if (!in_use.contains(claim)) continue;
        return "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
               "already in-use by another pod: " +
               in_quotes(claim);
    }
    return std::nullopt;
}

}  // namespace capstan::engine::scheduling
