/// How far a scale-up has come. A value: a copy is a way back.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/scale_up/ledger.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine {

/// What one group got of an option.
struct Growth {
    GroupIndex group = 0;
    int nodes = 0;
    std::string role{};  ///< "smallest of 3 similar groups"; empty: it is the only one
};

/// An option that is carried out.
struct Grant {
    ChosenOption chosen{};
    std::vector<Growth> growths{};
};

struct Progress {
    explicit Progress(const Scene& scene);

    std::vector<int> left;  ///< by subject: pods that wait, nobody but those that are pending
    std::vector<int> fit;   ///< by subject: pods for which there is room as it is
    Ledger ledger;
    std::vector<Grant> grants{};
    std::vector<std::string> notes{};
    std::string stopped{};  ///< why no further option is taken; empty: there is none
};

/// Pods on new nodes, by group and then by subject.
using HelpedPods = std::map<GroupIndex, std::map<Subject, int>>;
HelpedPods count_helped(const Placement& placement, Slot first_new);

}  // namespace capstan::engine
