/// The one currency of a pass: prices of several clouds are compared as bare numbers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/snapshot.hpp"

namespace capstan::runtime {

class PassCurrency {
public:
    PassCurrency() = default;
    /// That of the first group, by id, that tells its price; else of the first offer of a machine
    /// type that has one.
    explicit PassCurrency(const engine::Snapshot& snapshot);

    /// Whether a price in `currency` can be compared with the others. Where nothing has decided,
    /// the first one that is asked about does.
    bool takes(const std::string& currency);
    /// What to tell of one that cannot: "the price is in EUR, prices are compared in USD; it is
    /// left out".
    std::string refusal(const std::string& currency) const;
    /// The list without prices of offers in other currencies; the same one where it has none. Adds
    /// a sentence for each cloud that has some.
    std::shared_ptr<const std::vector<engine::CloudMachines>> filter(
        const std::shared_ptr<const std::vector<engine::CloudMachines>>& machines,
        std::vector<std::string>& notes);

private:
    std::string code_{};  ///< empty: no price has been seen
};

}  // namespace capstan::runtime
