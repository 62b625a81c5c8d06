/// Keeps the options whose group has the most room left once it has grown: the growth after this
/// one is then the least likely to meet a maximum. Room beyond `enough` makes no difference, so
/// that large groups tie and the next stage of the chain decides.
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
