#include "autoscaler/pass_clock.hpp"

#include <algorithm>

namespace capstan::autoscaler {

void PassPhaseTimer::begin(engine::PassPhase part) {
    begun_[part] = std::chrono::steady_clock::now();
}

void PassPhaseTimer::end(engine::PassPhase part) {
    times_[part] += std::chrono::steady_clock::now() - begun_.at(part);
}

PassCurrency::PassCurrency(const engine::Snapshot& snapshot) {
    if (snapshot.groups) {
        for (const engine::Group& group : *snapshot.groups) {
            const auto& price = group.group.price;
            if (!price || !price->per_hour) continue;
            code_ = price->currency;
            break;
        }
    }
    if (!code_.empty() || !snapshot.machines) return;
    for (const engine::CloudMachines& cloud : *snapshot.machines) {
        for (const MachineType& type : cloud.types) {
            for (const MachineOffering& offer : type.offerings) {
                if (!offer.price_per_hour) continue;
                code_ = offer.currency;
                return;
            }
        }
    }
}

bool PassCurrency::takes(const std::string& currency) {
    if (code_.empty()) code_ = currency;
    return code_ == currency;
}

std::string PassCurrency::refusal(const std::string& currency) const {
    return "price in " + currency + " ignored: prices are compared in " + code_;
}

std::shared_ptr<const std::vector<engine::CloudMachines>> PassCurrency::filter(
    const std::shared_ptr<const std::vector<engine::CloudMachines>>& machines,
    std::vector<std::string>& notes) {
    const auto is_foreign = [this](const MachineOffering& offer) {
        return offer.price_per_hour && offer.currency != code_;
    };
    const auto has_foreign = [&](const engine::CloudMachines& cloud) {
        return std::ranges::any_of(cloud.types, [&](const MachineType& type) {
            return std::ranges::any_of(type.offerings, is_foreign);
        });
    };
    if (!machines || std::ranges::none_of(*machines, has_foreign)) return machines;
    std::vector<engine::CloudMachines> out = *machines;
    for (engine::CloudMachines& cloud : out) {
        std::string currency;
        for (MachineType& type : cloud.types) {
            for (MachineOffering& offer : type.offerings) {
                if (!is_foreign(offer)) continue;
                currency = offer.currency;
                offer.price_per_hour.reset();
            }
        }
        if (!currency.empty())
            notes.push_back("plugin " + cloud.cloud.value() +
                            ": machine types: " + refusal(currency));
    }
    return std::make_shared<const std::vector<engine::CloudMachines>>(std::move(out));
}

}  // namespace capstan::autoscaler
