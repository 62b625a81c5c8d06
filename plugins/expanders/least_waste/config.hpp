/// What least_waste can be told.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <capstan/settings.hpp>

namespace capstan::expanders {

struct LeastWasteConfig {
    enum class Of { capacity, allocatable, free };  ///< the amount of which a part is wasted

    std::map<std::string, double, std::less<>> weights{};  ///< by resource
    double other_weight = 1;  ///< of every resource that `weights` does not name
    double tolerance = 0;     ///< options this much above the least waste are as good
    Of of = Of::allocatable;

    /// Slots ("pods", "attachable-volumes-...") are not bought, so they weigh nothing unless named.
    double weight_of(std::string_view resource) const;
};

Schema least_waste_schema();
LeastWasteConfig read_least_waste(const Settings& settings);
void check_least_waste(const Settings& settings);

}  // namespace capstan::expanders
