#include "machine.hpp"

#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <capstan/hash.hpp>
#include <capstan/quantity.hpp>
#include <capstan/sentence.hpp>

namespace capstan::simulated {
namespace {

/// "key=value:NoSchedule", as kubectl writes it.
std::optional<Taint> find_taint(std::string_view written) {
    const std::size_t colon = written.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto effect = find_effect(written.substr(colon + 1));
    const std::string_view front = written.substr(0, colon);
    const std::size_t equal = front.find('=');
    const std::string_view key = front.substr(0, equal);
    if (!effect || key.empty()) return std::nullopt;
    const std::string_view value =
        equal == std::string_view::npos ? std::string_view() : front.substr(equal + 1);
    return Taint{.key = std::string(key), .value = std::string(value), .effect = *effect};
}

/// In the units of Resources. The schema has seen to it that it is a quantity.
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

Resources read_allocatable(const Settings& machine, Resources capacity) {
    for (const auto& [resource, written] : machine.text_map("allocatable"))
        capacity.set(resource, amount(resource, written));
    return capacity;
}

/// What was given stays.
void add_standard_labels(NodeTemplate& node, const std::string& region) {
    const std::initializer_list<std::pair<const char*, const std::string&>> labels = {
        {"kubernetes.io/arch", node.arch},
        {"kubernetes.io/os", node.os},
        {"node.kubernetes.io/instance-type", node.machine_type},
        {"topology.kubernetes.io/zone", node.zone},
        {"topology.kubernetes.io/region", region}};
    for (const auto& [key, value] : labels) {
        if (!value.empty()) node.labels.emplace(key, value);
    }
}

std::string fingerprint_of(const NodeTemplate& node) {
    Hash hash;
    for (const std::string& text : {node.name, node.machine_type, node.zone, node.arch, node.os})
        hash.add(text);
    for (const auto& [key, value] : node.labels) {
        hash.add(key);
        hash.add(value);
    }
    for (const Taint& taint : node.taints) hash.add(to_string(taint));
    for (const Resources& resources : {node.capacity, node.allocatable}) {
        for (const auto& [resource, value] : resources) {
            hash.add(resource);
            hash.add(value);
        }
    }
    return std::to_string(hash.value());
}

bool is_negative(std::string_view written) {
    const Result<Quantity> quantity = parse_quantity(written);
    return quantity && quantity->sign() < 0;
}

/// Of the quantities themselves; true: all are sane.
bool check_amounts(const Settings& machine) {
    bool sane = true;
    const auto refuse = [&](auto... where) {
        machine.reject(where..., "is negative");
        sane = false;
    };
    for (const char* key : {"cpu", "memory", "ephemeral_storage"}) {
        if (machine.has(key) && is_negative(machine.text(key))) refuse(key);
    }
    for (const char* key : {"resources", "allocatable"}) {
        std::size_t at = 0;
        for (const auto& [resource, written] : machine.text_map(key)) {
            if (is_negative(written)) refuse(key, at);
            ++at;
        }
    }
    return sane;
}

void check_allocatable(const Settings& machine) {
    const Resources capacity = read_capacity(machine);
    std::size_t at = 0;
    for (const auto& [resource, written] : machine.text_map("allocatable")) {
        const std::int64_t there = capacity.amount(resource);
        if (amount(resource, written) > there) {
            machine.reject("allocatable", at,
                           "more than the machine has, " + format_amount(resource, there));
        }
        ++at;
    }
}

}  // namespace

NodeTemplate read_node(const Settings& machine, std::string name, const Location& location) {
    NodeTemplate node{.name = std::move(name),
                      .zone = location.zone,
                      .arch = machine.text("arch"),
                      .os = machine.text("os")};
    if (machine.has("type")) node.machine_type = machine.text("type");
    for (auto& [key, value] : machine.text_map("labels")) node.labels.emplace(key, value);
    add_standard_labels(node, location.region);
    for (const std::string& written : machine.texts("taints"))
        node.taints.push_back(find_taint(written).value());
    node.capacity = read_capacity(machine);
    node.allocatable = node.free = read_allocatable(machine, node.capacity);
    node.fingerprint = fingerprint_of(node);
    return node;
}

void check_node(const Settings& machine) {
    if (check_amounts(machine)) check_allocatable(machine);
    if (machine.text("gpu_resource").empty()) machine.reject("gpu_resource", "is empty");
    std::size_t at = 0;
    for (const std::string& written : machine.texts("taints")) {
        if (!find_taint(written)) {
            machine.reject("taints", at,
                           in_quotes(written) + " is no taint: write \"key=value:NoSchedule\"");
        }
        ++at;
    }
}

}  // namespace capstan::simulated
