#include "change_errors.hpp"

#include <algorithm>

#include "../wire/resource_ids.hpp"

namespace capstan::gce {
namespace {

Error machine_error(const ResourceLink& instance, Error error) {
    error.subject = machine_id_of(instance);
    return error;
}

}  // namespace

std::vector<Error> errors_by_machine(const std::vector<ResourceLink>& instances,
                                     const std::vector<Error>& errors) {
    std::vector<Error> out;
    for (const Error& error : errors) {
        const auto named =
            std::find_if(instances.begin(), instances.end(), [&](const ResourceLink& instance) {
                return last_part(error.subject) == instance.name;
            });
        if (named != instances.end()) {
            out.push_back(machine_error(*named, error));
            continue;
        }
        out.clear();
        for (const ResourceLink& instance : instances)
            out.push_back(machine_error(instance, errors.front()));
        break;
    }
    return out;
}

}  // namespace capstan::gce
