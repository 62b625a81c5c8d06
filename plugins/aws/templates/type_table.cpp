#include "type_table.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <capstan/json.hpp>
#include <capstan/sentence.hpp>

#include "built_in_types.hpp"

namespace capstan::aws {
namespace {

/// Reads one entry of "types" in the file. The first mistake is kept; a bad value reads as empty.
class TypeEntry {
public:
    TypeEntry(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

    std::string text(std::string_view key) {
        const Json* value = json_.find(key);
        if (value == nullptr) return {};
        if (!value->is_text()) complain(key, "is not a string");
        return value->text();
    }
    std::int64_t number(std::string_view key, std::int64_t most = std::int64_t{1} << 40) {
        const Json* value = json_.find(key);
        if (value == nullptr) return 0;
        const auto number = value->integer();
        if (number && *number >= 0 && *number <= most) return *number;
        complain(key, "is not an integer from 0 to " + std::to_string(most));
        return 0;
    }
    int small(std::string_view key) { return static_cast<int>(number(key, 1'000'000)); }
    bool truth(std::string_view key) {
        const Json* value = json_.find(key);
        if (value == nullptr) return false;
        if (value->type() != Json::Type::boolean) complain(key, "is not true or false");
        return value->boolean();
    }
    std::vector<std::string> texts(std::string_view key) {
        std::vector<std::string> out;
        for (const Json& item : items(key)) {
            if (!item.is_text()) complain(key, "has an entry that is not a string");
            out.push_back(item.text());
        }
        return out;
    }
    std::vector<Accelerators> accelerators(std::string_view key) {
        std::vector<Accelerators> out;
        for (const Json& item : items(key)) {
            TypeEntry entry(item, place_ + "." + std::string(key));
            out.push_back({.manufacturer = entry.text("manufacturer"),
                           .name = entry.text("name"),
                           .count = entry.small("count"),
                           .memory_mib = entry.number("memory_mib")});
            if (entry.mistake_ && !mistake_) mistake_ = std::move(entry.mistake_);
        }
        return out;
    }
    void demand(bool holds, std::string_view key, const std::string& why) {
        if (!holds) complain(key, why);
    }
    const std::optional<Error>& mistake() const noexcept { return mistake_; }

private:
    const std::vector<Json>& items(std::string_view key) {
        static const std::vector<Json> none;
        const Json* value = json_.find(key);
        if (value == nullptr) return none;
        if (!value->is_array()) complain(key, "is not a list");
        return value->items();
    }
    void complain(std::string_view key, const std::string& why) {
        if (mistake_) return;
        mistake_ = Error{ErrorCode::invalid_config, place_ + "." + std::string(key) + " " + why};
    }

    const Json& json_;
    std::string place_;
    std::optional<Error> mistake_{};
};

Result<InstanceType> read_type_entry(const Json& json, const std::string& place) {
    if (!json.is_object()) return fail(ErrorCode::invalid_config, place + " is not an object");
    TypeEntry entry(json, place);
    InstanceType out{.name = entry.text("name"),
                     .vcpus = entry.number("vcpus"),
                     .memory_mib = entry.number("memory_mib"),
                     .architectures = entry.texts("architectures"),
                     .gpus = entry.accelerators("gpus"),
                     .neuron_devices = entry.accelerators("neuron_devices"),
                     .neuron_cores = entry.small("neuron_cores"),
                     .instance_storage_gib = entry.number("instance_storage_gib"),
                     .efa_interfaces = entry.small("efa_interfaces"),
                     .network_interfaces = entry.small("network_interfaces"),
                     .ipv4_per_interface = entry.small("ipv4_per_interface"),
                     .has_prefix_delegation = entry.truth("prefix_delegation"),
                     .bare_metal = entry.truth("bare_metal"),
                     .usage_classes = entry.texts("usage_classes")};
    entry.demand(!out.name.empty(), "name", "is missing");
    entry.demand(out.vcpus > 0, "vcpus", "is missing or 0");
    entry.demand(out.memory_mib > 0, "memory_mib", "is missing or 0");
    if (const auto& mistake = entry.mistake(); mistake) return fail(*mistake);
    return out;
}

}  // namespace

Result<TypeTable> TypeTable::parse(std::string_view json) {
    CAPSTAN_TRY(const Json file, parse_json(json));
    const Json* types = file.find("types");
    if (types == nullptr || !types->is_array())
        return fail(ErrorCode::invalid_config, "types is missing or not a list");
    TypeTable out;
    out.date_ = file.text_at({"date"});
    if (out.date_.empty())
        return fail(ErrorCode::invalid_config, "date is missing or not a string");
    for (std::size_t i = 0; i < types->items().size(); ++i) {
        const std::string place = "types[" + std::to_string(i) + "]";
        CAPSTAN_TRY(InstanceType type, read_type_entry(types->items()[i], place));
        const std::string name = type.name;
        if (!out.types_.try_emplace(name, std::move(type)).second) {
            return fail(ErrorCode::invalid_config,
                        place + ".name " + in_quotes(name) + " is a duplicate");
        }
    }
    return out;
}

const TypeTable& TypeTable::built_in() {
    static const TypeTable table =
        of(read_type_lines(built_in_type_lines()), std::string(built_in_types_date()));
    return table;
}

TypeTable TypeTable::of(std::vector<InstanceType> types, std::string date) {
    TypeTable out;
    out.date_ = std::move(date);
    for (InstanceType& type : types) {
        const std::string name = type.name;
        out.types_.insert_or_assign(name, std::move(type));
    }
    return out;
}

const InstanceType* TypeTable::find(std::string_view name) const noexcept {
    const auto at = types_.find(name);
    return at == types_.end() ? nullptr : &at->second;
}

}  // namespace capstan::aws
