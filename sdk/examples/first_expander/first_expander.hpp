/// Keeps the options whose group has the most room left after the scale-up, so that the next one is
/// the least likely to reach a maximum. Room for more than `enough` nodes makes no difference:
/// large groups tie, and the next expander of the chain decides.
#pragma once

#include <cstdint>

#include <capstan/expander.hpp>
#include <capstan/settings.hpp>

class FirstExpander {
public:
    static capstan::Schema schema();
    explicit FirstExpander(const capstan::Settings& settings)
        : enough_(settings.integer("enough")) {}
    void filter(const capstan::Call& call, const capstan::ExpanderRequest& request,
                const capstan::Selection& keep) const;

private:
    std::int64_t room_after(const capstan::OptionView& option) const;
    std::int64_t enough_;
};
