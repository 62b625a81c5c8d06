/// The settings of least_waste as values, and their schema.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <capstan/settings.hpp>

namespace capstan::expanders {

struct LeastWasteConfig {
    enum class Of { capacity, allocatable, free };  ///< the amount that waste is a share of

    std::map<std::string, double, std::less<>> weights{};  ///< by resource
    double other_weight = 1;  ///< of every resource that `weights` does not name
    double tolerance = 0;     ///< how far above the least waste an option still counts as equal
    Of of = Of::allocatable;

    /// The weight of a resource. Slots ("pods", "attachable-volumes-...") cost nothing, so their
    /// weight is 0 unless `weights` names them.
    double weight_of(std::string_view resource) const;
};

Schema least_waste_schema();
LeastWasteConfig read_least_waste(const Settings& settings);
void check_least_waste(const Settings& settings);

}  // namespace capstan::expanders
