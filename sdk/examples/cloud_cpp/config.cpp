#include "config.hpp"

#include <set>

namespace {

using capstan::Setting;
using capstan::SettingType;

constexpr double machines_max = 1'000'000;

std::vector<Setting> size_fields() {
    return {{.key = "min",
             .type = SettingType::integer,
             .doc = "Minimum size of the group.",
             .default_value = "0",
             .min = 0,
             .max = machines_max},
            {.key = "max",
             .type = SettingType::integer,
             .doc = "Maximum size of the group.",
             .required = true,
             .min = 0,
             .max = machines_max},
            {.key = "initial",
             .type = SettingType::integer,
             .doc = "Machines at the start. Unset: min.",
             .min = 0,
             .max = machines_max}};
}

std::vector<Setting> machine_fields() {
    return {
        {.key = "cpu",
         .type = SettingType::quantity,
         .doc = "Cores of a machine.",
         .required = true},
        {.key = "memory",
         .type = SettingType::quantity,
         .doc = "Memory of a machine.",
         .required = true},
        {.key = "pods",
         .type = SettingType::integer,
         .doc = "Maximum number of pods of a machine.",
         .default_value = "110",
         .min = 1,
         .max = 10'000},
        {.key = "machine_type", .type = SettingType::string, .doc = "Machine type."},
        {.key = "zone", .type = SettingType::string, .doc = "Zone of its machines."},
        {.key = "labels", .type = SettingType::string, .doc = "Labels of its nodes.", .map = true}};
}

std::vector<Setting> group_fields() {
    std::vector<Setting> out{{.key = "id",
                              .type = SettingType::string,
                              .doc = "Unique id of the group.",
                              .required = true}};
    for (Setting& field : size_fields()) out.push_back(std::move(field));
    for (Setting& field : machine_fields()) out.push_back(std::move(field));
    out.push_back({.key = "price_per_hour",
                   .type = SettingType::number,
                   .doc = "Price of one machine, in `currency`.",
                   .min = 0,
                   .max = 1e6});
    out.push_back(
        {.key = "unneeded_time",
         .type = SettingType::duration,
         .doc =
             "How long a node must be unneeded before it is removed. Unset: the global setting."});
    return out;
}

int initial_size(const capstan::Settings& group) {
    return static_cast<int>(group.integer(group.has("initial") ? "initial" : "min"));
}

capstan::NodeTemplate read_node(const capstan::Settings& group) {
    capstan::NodeTemplate node{.name = group.text("id")};
    const auto cpu = capstan::parse_cpu(group.text("cpu"));
    const auto memory = capstan::parse_bytes(group.text("memory"));
    if (!cpu || !memory) throw capstan::Failure(cpu ? memory.error() : cpu.error());
    node.capacity = {{"cpu", *cpu}, {"memory", *memory}, {"pods", group.integer("pods")}};
    node.allocatable = node.free = node.capacity;
    if (group.has("machine_type")) node.machine_type = group.text("machine_type");
    if (group.has("zone")) node.zone = group.text("zone");
    for (auto& [key, value] : group.text_map("labels")) node.labels.emplace(key, value);
    if (!node.machine_type.empty())
        node.labels.emplace("node.kubernetes.io/instance-type", node.machine_type);
    if (!node.zone.empty()) node.labels.emplace("topology.kubernetes.io/zone", node.zone);
    // Templates made from other settings have another fingerprint: see reconfigure.
    node.fingerprint = "1";
    return node;
}

GroupConfig read_group(const capstan::Settings& group) {
    GroupConfig out{.id = capstan::NodeGroupId(group.text("id")),
                    .min = static_cast<int>(group.integer("min")),
                    .max = static_cast<int>(group.integer("max")),
                    .initial = initial_size(group),
                    .node = read_node(group)};
    if (group.has("price_per_hour")) out.price_per_hour = group.number("price_per_hour");
    if (group.has("unneeded_time")) out.unneeded_time = group.duration("unneeded_time");
    return out;
}

}  // namespace

capstan::Schema config_schema() {
    return {
        {.key = "boot",
         .type = SettingType::duration,
         .doc = "Time from the request for a machine until it runs.",
         .default_value = R"("30s")"},
        {.key = "currency",
         .type = SettingType::string,
         .doc = "Currency of all prices, ISO 4217.",
         .default_value = R"("USD")"},
        {.key = "groups",
         .type = SettingType::table,
         .doc = "The node groups.",
         .default_value =
             R"([{ id = "small", max = 10, cpu = "2", memory = "8Gi", price_per_hour = 0.1 },)"
             R"( { id = "large", max = 10, cpu = "16", memory = "64Gi", price_per_hour = 0.7 }])",
         .list = true,
         .live = true,
         .fields = group_fields()}};
}

void check_config(const capstan::Settings& settings) {
    std::set<std::string> ids;
    if (settings.duration("boot") < capstan::Duration::zero())
        settings.reject("boot", "is negative");
    if (settings.text("currency").size() != 3)
        settings.reject("currency", "must be a three-letter code");
    for (const capstan::Settings& group : settings.tables("groups")) {
        const std::int64_t min = group.integer("min");
        const std::int64_t max = group.integer("max");
        const int initial = initial_size(group);
        if (group.text("id").empty()) group.reject("id", "must not be empty");
        if (!ids.insert(group.text("id")).second) group.reject("id", "duplicate group id");
        if (min > max) {
            group.reject("min", "is above max, " + std::to_string(max));
        } else if (initial < min || initial > max) {
            group.reject("initial", "is not between min and max");
        }
    }
}

Config read_config(const capstan::Settings& settings) {
    Config out{
        .boot = settings.duration("boot"), .currency = settings.text("currency"), .groups = {}};
    for (const capstan::Settings& group : settings.tables("groups"))
        out.groups.push_back(read_group(group));
    return out;
}
