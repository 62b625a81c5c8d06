#include "machine.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <capstan/hash.hpp>
#include <capstan/quantity.hpp>
#include <capstan/taint_text.hpp>
#include <capstan/well_known.hpp>

namespace capstan::simulated {
namespace {

/// In the units of Resources. The schema has checked that the text is a quantity.
std::int64_t amount(std::string_view resource, std::string_view written) {
    const Result<Quantity> quantity = parse_quantity(written);
    if (!quantity) throw Failure(within(resource, quantity.error()));
    return amount_of(resource, *quantity);
}

Resources read_capacity(const Settings& machine) {
    Resources out{{"cpu", amount("cpu", machine.text("cpu"))},
                  {"memory", amount("memory", machine.text("memory"))},
                  {"pods", machine.integer("pods")}};
    if (machine.has("ephemeral_storage")) {
        out.set("ephemeral-storage",
                amount("ephemeral-storage", machine.text("ephemeral_storage")));
    }
    if (machine.integer("gpu") > 0) out.set(machine.text("gpu_resource"), machine.integer("gpu"));
    for (const auto& [resource, written] : machine.text_map("resources"))
        out.set(resource, amount(resource, written));
    return out;
}

/// Lowers cpu and memory to the minimum over all types.
void lower_to_mix(const Settings& machine, Resources& capacity) {
    for (const Settings& type : machine.tables("mix")) {
        for (const char* resource : {"cpu", "memory"}) {
            capacity.set(resource, std::min(capacity.amount(resource),
                                            amount(resource, type.text(resource))));
        }
    }
}

Resources read_allocatable(const Settings& machine, Resources capacity) {
    for (const auto& [resource, written] : machine.text_map("allocatable"))
        capacity.set(resource, amount(resource, written));
    return capacity;
}

/// Adds the labels that every node has; labels of the settings take precedence.
void add_standard_labels(NodeTemplate& node, const Location& location) {
    const std::initializer_list<std::pair<std::string_view, std::string>> labels = {
        {well_known::arch_label, node.arch},
        {well_known::os_label, node.os},
        {well_known::instance_type_label, node.machine_type},
        {well_known::zone_label, node.zone},
        {well_known::region_label, location.region},
        {well_known::lifecycle_label, location.spot ? "spot" : ""}};
    for (const auto& [key, value] : labels) {
        if (!value.empty()) node.labels.emplace(key, value);
    }
}

bool is_negative(std::string_view written) {
    const Result<Quantity> quantity = parse_quantity(written);
    return quantity && quantity->sign() < 0;
}

/// Rejects negative amounts; true if there are none.
bool check_amounts(const Settings& machine) {
    bool sane = true;
    const auto refuse = [&](auto... where) {
        machine.reject(where..., "is negative");
        sane = false;
    };
    for (const char* key : {"cpu", "memory", "ephemeral_storage"}) {
        if (machine.has(key) && is_negative(machine.text(key))) refuse(key);
    }
    for (const char* key : {"resources", "allocatable", "static_pods"}) {
        std::size_t at = 0;
        for (const auto& [resource, written] : machine.text_map(key)) {
            if (is_negative(written)) refuse(key, at);
            ++at;
        }
    }
    return sane;
}

/// Rejects amounts in the map `key` that exceed the capacity.
void check_parts(const Settings& machine, std::string_view key) {
    const Resources capacity = read_capacity(machine);
    std::size_t at = 0;
    for (const auto& [resource, written] : machine.text_map(key)) {
        const std::int64_t there = capacity.amount(resource);
        if (amount(resource, written) > there) {
            machine.reject(key, at,
                           "more than the machine's capacity, " + format_amount(resource, there));
        }
        ++at;
    }
}

void check_mix(const Settings& machine) {
    const std::vector<Settings> mix = machine.tables("mix");
    if (mix.empty()) return;
    if (!machine.has("type")) machine.reject("mix", "needs `type`, the name of the first type");
    if (!machine.text_map("allocatable").empty())
        machine.reject("allocatable", "cannot be combined with mix");
    std::set<std::string> names{read_types(machine).front()};
    for (const Settings& type : mix) {
        if (!names.insert(type.text("type")).second) type.reject("type", "duplicate type");
        for (const char* key : {"cpu", "memory"}) {
            if (is_negative(type.text(key))) type.reject(key, "is negative");
        }
    }
}

}  // namespace

std::string fingerprint_of(const NodeTemplate& node) {
    Hash hash;
    for (const std::string& text : {node.name, node.machine_type, node.zone, node.arch, node.os})
        hash.add(text);
    for (const auto& [key, value] : node.labels) {
        hash.add(key);
        hash.add(value);
    }
    for (const Taint& taint : node.taints) hash.add(to_string(taint));
    for (const Resources& resources : {node.capacity, node.allocatable, node.free}) {
        for (const auto& [resource, value] : resources) {
            hash.add(resource);
            hash.add(value);
        }
    }
    return std::to_string(hash.value());
}

NodeTemplate read_node(const Settings& machine, std::string name, const Location& location) {
    NodeTemplate node{.name = std::move(name),
                      .zone = location.zone,
                      .arch = machine.text("arch"),
                      .os = machine.text("os")};
    const std::vector<std::string> types = read_types(machine);
    if (types.size() == 1) node.machine_type = types.front();
    for (auto& [key, value] : machine.text_map("labels")) node.labels.emplace(key, value);
    add_standard_labels(node, location);
    for (const std::string& written : machine.texts("taints"))
        node.taints.push_back(parse_taint(written).value());
    node.capacity = read_capacity(machine);
    lower_to_mix(machine, node.capacity);
    node.allocatable = read_allocatable(machine, node.capacity);
    node.free = node.allocatable;
    for (const auto& [resource, written] : machine.text_map("static_pods"))
        node.free.set(resource, node.free.amount(resource) - amount(resource, written));
    node.fingerprint = fingerprint_of(node);
    return node;
}

std::vector<std::string> read_types(const Settings& machine) {
    std::vector<std::string> out{machine.has("type") ? machine.text("type") : std::string()};
    for (const Settings& type : machine.tables("mix")) out.push_back(type.text("type"));
    return out;
}

void check_node(const Settings& machine) {
    if (check_amounts(machine)) {
        for (const char* key : {"allocatable", "static_pods"}) check_parts(machine, key);
    }
    check_mix(machine);
    if (machine.text("gpu_resource").empty()) machine.reject("gpu_resource", "must not be empty");
    std::size_t at = 0;
    for (const std::string& written : machine.texts("taints")) {
        if (const Result<Taint> taint = parse_taint(written); !taint)
            machine.reject("taints", at, taint.error().message);
        ++at;
    }
}

}  // namespace capstan::simulated
