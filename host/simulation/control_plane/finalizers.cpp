#include "simulation/control_plane/finalizers.hpp"

#include <algorithm>
#include <utility>

namespace capstan::simulation {

bool has_finalizer(const json::object& object, std::string_view name) {
    const json::array* list = find_array(object, "metadata.finalizers");
    return list != nullptr && std::ranges::any_of(*list, [&](const json::value& item) {
               return item.is_string() && view(item.get_string()) == name;
           });
}

void remove_finalizer(json::object& object, std::string_view name) {
    json::array kept;
    if (const json::array* list = find_array(object, "metadata.finalizers"))
        for (const json::value& item : *list)
            if (!item.is_string() || view(item.get_string()) != name) kept.push_back(item);
    json::object& metadata = make_object(object, "metadata");
    if (kept.empty()) {
        metadata.erase("finalizers");
    } else {
        metadata["finalizers"] = std::move(kept);
    }
}

}  // namespace capstan::simulation
