#include "price_table.hpp"

#include <algorithm>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/json.hpp>
#include <capstan/sentence.hpp>

#include "accelerators.hpp"
#include "ephemeral_storage.hpp"

namespace capstan::gce {
namespace {

constexpr double mib_per_gib = 1024;
/// Google's defaults for a boot disk without a type or size.
constexpr const char* usual_boot_disk = "pd-balanced";
constexpr std::int64_t usual_boot_gib = 100;

Result<std::optional<double>> read_price_field(const Json& object, std::string_view key,
                                               const std::string& place) {
    const Json* const field = object.find(key);
    if (field == nullptr) return std::optional<double>();
    const auto price = field->number();
    if (!price || *price < 0)
        return fail(
            ErrorCode::invalid_config,
            place + "." + std::string(key) + " is not a price; expected a number of at least 0");
    return price;
}

/// The members of a map of objects; empty if absent.
Result<std::vector<Json::Member>> members_of_map(const Json& file, const std::string& key) {
    const Json* const map = file.find(key);
    if (map == nullptr) return std::vector<Json::Member>();
    if (!map->is_object()) return fail(ErrorCode::invalid_config, key + " is not an object");
    for (const auto& [name, value] : map->members())
        if (!value.is_object() && key != "disks")
            return fail(ErrorCode::invalid_config, key + "." + name + " is not an object");
    return map->members();
}

/// Whether the text has the form "2026-11-01". The digits are not checked for a valid date.
bool is_date_of_prices(std::string_view text) noexcept {
    if (text.size() != 10) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_dash = i == 4 || i == 7;
        if (is_dash ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
    }
    return true;
}

bool is_currency_code(std::string_view text) noexcept {
    return text.size() == 3 && std::ranges::all_of(text, [](char c) { return is_ascii_upper(c); });
}

/// The mistake in the members other than prices; NULL if there is none.
const char* find_fault_of_head(const Json& file) {
    if (!file.is_object()) return "the file is not a JSON object";
    if (file.text_at({"region"}).empty()) return "region is missing or not a string";
    if (!is_date_of_prices(file.text_at({"date"}))) return "date is not a date like \"2026-11-01\"";
    const Json* const currency = file.find("currency");
    if (currency != nullptr && !is_currency_code(currency->text()))
        return "currency is not a code like \"USD\"";
    const Json* const sample = file.find("sample");
    if (sample != nullptr && sample->type() != Json::Type::boolean)
        return "sample is not true or false";
    return nullptr;
}

/// The billed number of cores. Shared-core types of e2 are billed for less than the two vCPUs that
/// compute reports. nullopt for f1-micro and g1-small, which only have prices as a whole.
std::optional<double> find_paid_cores(std::string_view type, std::int64_t vcpus) {
    if (type == "f1-micro" || type == "g1-small") return std::nullopt;
    const std::string_view custom = "e2-custom-";
    const std::string_view size =
        type.substr(std::min(type.size(), type.starts_with(custom) ? custom.size() : 3));
    const bool is_e2 = type.starts_with("e2-");
    if (is_e2 && size.starts_with("micro")) return 0.25;
    if (is_e2 && size.starts_with("small")) return 0.5;
    if (is_e2 && size.starts_with("medium")) return 1;
    return static_cast<double>(vcpus);
}

}  // namespace

Result<PriceTable::Pair> PriceTable::read_pair(const Json& json, const std::string& place) {
    Pair out;
    CAPSTAN_TRY(out.on_demand, read_price_field(json, "on_demand", place));
    CAPSTAN_TRY(out.spot, read_price_field(json, "spot", place));
    return out;
}

Result<PriceTable::Rates> PriceTable::read_rates(const Json& json, const std::string& place) {
    Rates out;
    CAPSTAN_TRY(out.cpu.on_demand, read_price_field(json, "cpu", place));
    CAPSTAN_TRY(out.gib.on_demand, read_price_field(json, "gib", place));
    CAPSTAN_TRY(out.cpu.spot, read_price_field(json, "spot_cpu", place));
    CAPSTAN_TRY(out.gib.spot, read_price_field(json, "spot_gib", place));
    return out;
}

Result<void> PriceTable::read_maps(const Json& file) {
    CAPSTAN_TRY(const auto types, members_of_map(file, "types"));
    for (const auto& [name, json] : types) {
        CAPSTAN_TRY(types_[name], read_pair(json, "types." + name));
    }
    CAPSTAN_TRY(const auto accelerators, members_of_map(file, "accelerators"));
    for (const auto& [name, json] : accelerators) {
        CAPSTAN_TRY(accelerators_[name], read_pair(json, "accelerators." + name));
    }
    CAPSTAN_TRY(const auto families, members_of_map(file, "families"));
    for (const auto& [name, json] : families) {
        CAPSTAN_TRY(families_[name], read_rates(json, "families." + name));
    }
    CAPSTAN_TRY(const auto custom, members_of_map(file, "custom"));
    for (const auto& [name, json] : custom) {
        CAPSTAN_TRY(custom_[name], read_rates(json, "custom." + name));
    }
    CAPSTAN_TRY(const auto disks, members_of_map(file, "disks"));
    for (const auto& [name, json] : disks) {
        const auto price = json.number();
        if (!price || *price < 0)
            return fail(ErrorCode::invalid_config,
                        "disks." + name + " is not a price; expected a number of at least 0");
        disks_[name] = *price;
    }
    return {};
}

Result<PriceTable> PriceTable::parse(std::string_view json) {
    CAPSTAN_TRY(const Json file, parse_json(json));
    if (const char* const fault = find_fault_of_head(file))
        return fail(ErrorCode::invalid_config, fault);
    PriceTable out;
    out.region_ = file.text_at({"region"});
    out.date_ = file.text_at({"date"});
    if (const Json* const currency = file.find("currency")) out.currency_ = currency->text();
    if (const Json* const sample = file.find("sample")) out.is_sample_ = sample->boolean();
    CAPSTAN_CHECK(out.read_maps(file));
    if (const Json* const ssd = file.find("local_ssd")) {
        CAPSTAN_TRY(out.local_ssd_, read_pair(*ssd, "local_ssd"));
    }
    return out;
}

/// The type's own price, or else a price by the rates of its family.
std::optional<PriceTable::MachinePrice> PriceTable::machine_price(
    const std::string& name, const std::optional<GceMachineType>& type, bool spot) const {
    const auto own = types_.find(name);
    if (own != types_.end()) {
        const std::optional<double>& price = own->second.of(spot);
        if (price) return MachinePrice{.per_hour = *price, .is_whole = true};
    }
    std::optional<GceMachineType> figures = type;
    const auto custom = parse_custom_type(name);
    const bool is_custom = custom && custom->has_value();
    if (is_custom) figures = *custom;
    const auto& rates_by_family = is_custom ? custom_ : families_;
    const auto rates = rates_by_family.find(family_of(name));
    if (!figures || rates == rates_by_family.end()) return std::nullopt;
    const auto cpu = rates->second.cpu.of(spot), gib = rates->second.gib.of(spot);
    const auto cores = find_paid_cores(name, figures->vcpus);
    if (!cpu || !gib || !cores) return std::nullopt;
    return MachinePrice{.per_hour = *cpu * *cores +
                                    *gib * static_cast<double>(figures->memory_mib) / mib_per_gib};
}

double PriceTable::disk_price(const InstanceTemplate& node, std::int64_t local_ssds,
                              bool spot) const {
    double out = 0;
    for (const TemplateDisk& disk : node.disks) {
        if (disk.type == "SCRATCH") continue;
        const auto rate = disks_.find(disk.disk_type.empty() ? usual_boot_disk : disk.disk_type);
        if (rate == disks_.end()) continue;
        out += rate->second * static_cast<double>(disk.size_gb.value_or(usual_boot_gib));
    }
    const double gib = static_cast<double>(local_ssds * local_ssd_size_of(node.machine_type));
    return out + gib * local_ssd_.of(spot).value_or(0);
}

/// nullopt if the price of one accelerator is unknown: a sum without it would make the machine look
/// cheap.
std::optional<double> PriceTable::accelerator_price(
    const std::vector<TemplateAccelerator>& accelerators, bool spot) const {
    double out = 0;
    for (const TemplateAccelerator& accelerator : accelerators) {
        const auto at = accelerators_.find(accelerator.type);
        const auto price = at == accelerators_.end() ? std::nullopt : at->second.of(spot);
        if (!price) return std::nullopt;
        out += *price * accelerator.count;
    }
    return out;
}

std::optional<Price> PriceTable::find(const InstanceTemplate& node,
                                      const std::optional<GceMachineType>& type, bool spot) const {
    const std::optional<MachinePrice> machine = machine_price(node.machine_type, type, spot);
    if (!machine) return std::nullopt;
    // The price of a whole machine includes bundled accelerators and local SSDs.
    const bool has_accelerators = machine->is_whole && type && !type->accelerators.empty();
    const bool has_ssds = machine->is_whole && type && type->bundled_local_ssds > 0;
    const std::vector<TemplateAccelerator> accelerators =
        has_accelerators ? std::vector<TemplateAccelerator>() : accelerators_of(node, type);
    const auto cards = accelerator_price(accelerators, spot);
    if (!cards) return std::nullopt;
    const double disks = disk_price(node, has_ssds ? 0 : count_local_ssds(node, type), spot);
    return Price{.per_hour = machine->per_hour + *cards + disks, .currency = currency_};
}

}  // namespace capstan::gce
