#include "new_group_source.hpp"

#include <algorithm>

#include <capstan/ascii.hpp>
#include <capstan/resources.hpp>

namespace {

constexpr std::string_view prefix = "pool-";

bool holds_a_pod(const capstan::MachineTypeView& machine,
                 const capstan::PodEquivalenceGroupList& pods) {
    const capstan::Resources room(machine.allocatable());
    return std::any_of(pods.begin(), pods.end(), [&](const capstan::PodEquivalenceGroupView& pod) {
        return capstan::fits_in(capstan::Resources(pod.requests()), room);
    });
}

}  // namespace

std::string name_of_pool(std::string_view machine_type) {
    std::string out(prefix);
    for (const char c : machine_type)
        out += capstan::is_ascii_alnum(c) ? capstan::ascii_lower(c) : '-';
    return out;
}

void NewGroupSource::suggest(const capstan::Call&, const capstan::GroupSourceRequest& request,
                             const capstan::GroupSuggestions& suggest) const {
    for (const auto machine : request.machines()) {
        if (machine.offerings().empty() || !holds_a_pod(machine, request.pods())) {
            suggest.leave_out(machine.name(), "no pod fits on a new machine");
            continue;
        }
        const auto offer = machine.offerings()[0];
        suggest({.name = name_of_pool(machine.name()),
                 .machine_type = std::string(machine.name()),
                 .zone = std::string(offer.zone()),
                 .spot = offer.spot()},
                "a pod fits on it");
    }
}

bool NewGroupSource::owns(const capstan::Call&, const capstan::GroupView& group) const {
    return group.id().starts_with(prefix);
}
