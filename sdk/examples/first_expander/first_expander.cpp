#include "first_expander.hpp"

#include <algorithm>

#include <capstan/sentence.hpp>

capstan::Schema FirstExpander::schema() {
    return {{.key = "enough",
             .type = capstan::SettingType::integer,
             .doc = "Room for this many nodes or more counts as equal.",
             .default_value = "10",
             .min = 1,
             .max = 1e6}};
}

std::int64_t FirstExpander::room_after(const capstan::OptionView& option) const {
    const auto max = option.group().max();
    if (!max) return enough_;
    const std::int64_t grown = std::int64_t{option.group().target().value_or(0)} + option.nodes();
    return std::clamp<std::int64_t>(*max - grown, 0, enough_);
}

void FirstExpander::filter(const capstan::Call& call, const capstan::ExpanderRequest& request,
                           const capstan::Selection& keep) const {
    std::int64_t most = 0;
    for (const auto option : request.options()) most = std::max(most, room_after(option));
    std::int64_t kept = 0;
    for (const auto option : request.options()) {
        if (room_after(option) != most) continue;
        keep(option, static_cast<double>(most));
        ++kept;
    }
    call.explain("keeps " + std::to_string(kept) + " of " +
                 capstan::counted(request.options().size(), "option") + ": room for " +
                 capstan::counted(most, "more node") + " afterwards");
}
