#include "autoscaler/dump/price_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <capstan/json.hpp>

namespace capstan::autoscaler::dump {

Result<PriceFile> PriceFile::read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return fail(ErrorCode::not_found, file.string() + ": cannot be read");
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const Result<Json> json = parse_json(text);
    if (!json) return fail(within(file.string(), json.error()));
    PriceFile out;
    if (const Json* currency = json->find("currency")) out.currency_ = currency->text();
    const Json* types = json->find("prices");  // of AWS
    if (types == nullptr) types = json->find("types");
    if (types == nullptr || !types->is_object())
        return fail(ErrorCode::invalid_config, file.string() + ": is not a file of prices");
    for (const auto& [type, prices] : types->members()) {
        Entry& entry = out.types_[std::string(type)];
        if (const Json* price = prices.find("on_demand")) entry.on_demand = price->number();
        const Json* const spot = prices.find("spot");
        if (spot == nullptr) continue;
        if (!spot->is_object()) {
            entry.spot = spot->number();
            continue;
        }
        for (const auto& [zone, price] : spot->members())
            if (const auto number = price.number()) entry.spot_by_zone[std::string(zone)] = *number;
    }
    return out;
}

std::optional<double> PriceFile::find(const std::string& type, const std::string& zone,
                                      bool spot) const {
    const auto at = types_.find(type);
    if (at == types_.end()) return std::nullopt;
    const Entry& entry = at->second;
    if (!spot) return entry.on_demand;
    if (entry.spot_by_zone.empty()) return entry.spot;
    const auto here = entry.spot_by_zone.find(zone);
    if (here != entry.spot_by_zone.end()) return here->second;
    return std::ranges::max_element(entry.spot_by_zone, {},
                                    [](const auto& each) { return each.second; })
        ->second;
}

}  // namespace capstan::autoscaler::dump
