#include "price_table.hpp"

#include <algorithm>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/json.hpp>
#include <capstan/sentence.hpp>

namespace capstan::aws {
namespace {

Result<double> read_json_price(const Json& json, const std::string& place) {
    const auto price = json.number();
    if (!price || *price < 0) {
        return fail(ErrorCode::invalid_config,
                    place + " is not a price; expected a number of at least 0");
    }
    return *price;
}

/// Whether the text has the form "2026-11-01". The digits are not checked for a valid date.
bool is_price_date(std::string_view text) noexcept {
    if (text.size() != 10) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_dash = i == 4 || i == 7;
        if (is_dash ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
    }
    return true;
}

bool is_price_currency(std::string_view text) noexcept {
    return text.size() == 3 && std::ranges::all_of(text, [](char c) { return is_ascii_upper(c); });
}

struct TypePrices {
    std::optional<double> on_demand{};
    std::map<std::string, double> spot_by_zone{};
};

Result<TypePrices> read_type_prices(const Json& json, const std::string& place) {
    TypePrices out;
    if (!json.is_object()) return fail(ErrorCode::invalid_config, place + " is not an object");
    if (const Json* price = json.find("on_demand")) {
        CAPSTAN_TRY(out.on_demand, read_json_price(*price, place + ".on_demand"));
    }
    const Json* spot = json.find("spot");
    if (spot == nullptr) return out;
    if (!spot->is_object())
        return fail(ErrorCode::invalid_config, place + ".spot is not an object");
    for (const auto& [zone, price] : spot->members()) {
        CAPSTAN_TRY(const double read, read_json_price(price, place + ".spot." + zone));
        out.spot_by_zone.insert_or_assign(zone, read);
    }
    return out;
}

/// The mistake in the members other than prices; NULL if there is none.
const char* find_price_fault(const Json& file) {
    if (file.text_at({"region"}).empty()) return "region is missing or not a string";
    if (!is_price_date(file.text_at({"date"}))) return "date is not a date like \"2026-11-01\"";
    const Json* currency = file.find("currency");
    if (currency != nullptr && !is_price_currency(currency->text()))
        return "currency is not a code like \"USD\"";
    const Json* sample = file.find("sample");
    if (sample != nullptr && sample->type() != Json::Type::boolean)
        return "sample is not true or false";
    const Json* prices = file.find("prices");
    return prices != nullptr && prices->is_object() ? nullptr
                                                    : "prices is missing or not an object";
}

}  // namespace

Result<PriceTable> PriceTable::parse(std::string_view json) {
    CAPSTAN_TRY(const Json file, parse_json(json));
    if (const char* fault = find_price_fault(file)) return fail(ErrorCode::invalid_config, fault);
    PriceTable out;
    out.region_ = file.text_at({"region"});
    out.date_ = file.text_at({"date"});
    if (const Json* currency = file.find("currency")) out.currency_ = currency->text();
    if (const Json* sample = file.find("sample")) out.is_sample_ = sample->boolean();
    for (const auto& [type, json_of_type] : file.find("prices")->members()) {
        CAPSTAN_TRY(TypePrices prices, read_type_prices(json_of_type, "prices." + type));
        out.by_type_.insert_or_assign(type, Entry{.on_demand = prices.on_demand,
                                                  .spot_by_zone = std::move(prices.spot_by_zone)});
    }
    return out;
}

std::optional<Price> PriceTable::find(const std::string& instance_type, const std::string& zone,
                                      bool spot) const {
    const auto at = by_type_.find(instance_type);
    if (at == by_type_.end()) return std::nullopt;
    const Entry& entry = at->second;
    const auto priced = [this](double price) {
        return Price{.per_hour = price, .currency = currency_};
    };
    if (!spot) return entry.on_demand ? std::optional(priced(*entry.on_demand)) : std::nullopt;
    if (const auto here = entry.spot_by_zone.find(zone); here != entry.spot_by_zone.end())
        return priced(here->second);
    const auto highest = std::ranges::max_element(
        entry.spot_by_zone, {}, [](const auto& by_zone) { return by_zone.second; });
    if (highest == entry.spot_by_zone.end()) return std::nullopt;
    return priced(highest->second);
}

}  // namespace capstan::aws
