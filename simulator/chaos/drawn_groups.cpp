#include "simulator/chaos/drawn_groups.hpp"

#include <utility>

#include <capstan/quantity.hpp>
#include <capstan/resources.hpp>

#include "config/toml_values.hpp"

namespace capstan::simulator::chaos {
namespace {

using config::TomlValue;
using Kind = TomlValue::Kind;

TomlValue as_copy(TomlValue group, int number) {
    const std::string id = text_of(group, "id") + "-copy-" + std::to_string(number);
    for (const char* key : {"id", "min", "size", "changes"}) erase(group, key);
    group.children.push_back(config::text_value("id", id));
    return group;
}

/// Absent: the table has no such amount.
std::optional<std::int64_t> find_amount(const TomlValue& machine, std::string_view resource) {
    const TomlValue* const member = machine.find(resource);
    if (member == nullptr) return std::nullopt;
    const auto quantity = parse_quantity(
        member->kind == Kind::integer ? std::to_string(member->integer) : member->text);
    if (!quantity) return std::nullopt;
    return amount_of(resource, *quantity);
}

}  // namespace

std::optional<CloudEdit> multiplied_groups(const SimulatedCloud& cloud, int total) {
    const TomlValue* const groups = cloud.settings.find("groups");
    if (groups == nullptr || groups->children.empty()) return std::nullopt;
    TomlValue all = *groups;
    for (int copy = 1; static_cast<int>(all.children.size()) < total; ++copy)
        for (const TomlValue& group : groups->children)
            all.children.push_back(as_copy(group, copy));
    CloudEdit out{.settings = {.kind = Kind::table}, .cloud = cloud.id};
    out.settings.children.push_back(std::move(all));
    return out;
}

std::optional<MachineMix> make_mix(const TomlValue& group, int percent) {
    const std::string id = text_of(group, "id");
    const TomlValue* const machine = group.find("machine");
    if (machine == nullptr || machine->find("mix") != nullptr ||
        machine->find("allocatable") != nullptr)
        return std::nullopt;
    const std::string type = text_of(*machine, "type").empty() ? id : text_of(*machine, "type");
    Resources small, large;
    TomlValue second{.kind = Kind::table};
    second.children.push_back(config::text_value("type", type + "-large"));
    for (const char* resource : {"cpu", "memory"}) {
        const std::optional<std::int64_t> amount = find_amount(*machine, resource);
        if (!amount) return std::nullopt;
        small.set(resource, *amount);
        large.set(resource, *amount * percent / 100);
        second.children.push_back(
            config::text_value(resource, format_amount(resource, large.amount(resource))));
    }
    TomlValue mix{.kind = Kind::array, .key = "mix"};
    mix.children.push_back(std::move(second));
    TomlValue changed{.kind = Kind::table, .key = "machine"};
    changed.children.push_back(config::text_value("type", type));
    changed.children.push_back(std::move(mix));
    TomlValue change{.kind = Kind::table};
    change.children.push_back(std::move(changed));
    return MachineMix{
        .change = {id, std::move(change)},
        .registration = {.group = id, .types = {{type, small}, {type + "-large", large}}}};
}

CloudChange refuse_increases(const std::string& group, std::string_view code, bool is_long) {
    TomlValue failure{.kind = Kind::table, .key = "fail"};
    failure.children.push_back(config::text_value("code", std::string(code)));
    failure.children.push_back(
        config::text_value("message", is_long ? std::string(4000, 'x') : "refused for ever"));
    TomlValue change{.kind = Kind::table};
    change.children.push_back(std::move(failure));
    return {group, std::move(change)};
}

}  // namespace capstan::simulator::chaos
