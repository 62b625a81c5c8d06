#include "engine/health/repairs.hpp"

namespace capstan::engine {

Repairs plan_repairs(const Snapshot&, const Membership&, const Health&, const Memory&,
                     const Settings&, Time) {
    return {};
}

}  // namespace capstan::engine
