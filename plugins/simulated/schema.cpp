// The settings, as an operator reads of them.
#include <chrono>
#include <utility>

#include "config.hpp"

namespace capstan::simulated {
namespace {

constexpr double machines_max = 1'000'000;
/// 100 years.
constexpr std::chrono::hours duration_max(100 * 365 * 24);

Setting text_setting(std::string_view key, std::string_view doc,
                     std::string_view default_value = {}) {
    return {.key = key, .type = SettingType::string, .doc = doc, .default_value = default_value};
}

Setting count(std::string_view key, std::string_view doc, std::string_view default_value = {}) {
    return {.key = key,
            .type = SettingType::integer,
            .doc = doc,
            .default_value = default_value,
            .min = 0,
            .max = machines_max};
}

Setting flag(std::string_view key, std::string_view doc, std::string_view default_value = {}) {
    return {.key = key, .type = SettingType::boolean, .doc = doc, .default_value = default_value};
}

Setting duration(std::string_view key, std::string_view doc, std::string_view default_value = {}) {
    return {.key = key,
            .type = SettingType::duration,
            .doc = doc,
            .default_value = default_value,
            .min = 0,
            .max = duration_max};
}

Setting share_setting(std::string_view key, std::string_view doc) {
    return {.key = key, .type = SettingType::number, .doc = doc, .min = 0, .max = 1};
}

Setting quantity(std::string_view key, std::string_view doc) {
    return {.key = key, .type = SettingType::quantity, .doc = doc};
}

Setting required(Setting setting) {
    setting.required = true;
    return setting;
}

Setting live(Setting setting) {
    setting.live = true;
    return setting;
}

Setting map_of(Setting setting) {
    setting.map = true;
    return setting;
}

Setting list_of(Setting setting) {
    setting.list = true;
    return setting;
}

Setting table(std::string_view key, std::string_view doc, std::vector<Setting> fields) {
    return {.key = key, .type = SettingType::table, .doc = doc, .fields = std::move(fields)};
}

std::vector<Setting> type_fields() {
    return {required(text_setting("type", "The type's name, for the label of its nodes.")),
            required(quantity("cpu", "Cores.")), required(quantity("memory", "Memory."))};
}

std::vector<Setting> machine_fields() {
    return {
        text_setting("type", "The machine's type, for the label node.kubernetes.io/instance-type."),
        required(quantity("cpu", "Cores.")),
        required(quantity("memory", "Memory.")),
        count("pods", "Pods it can run.", "110"),
        quantity("ephemeral_storage", "Disk for pods."),
        count("gpu", "GPUs.", "0"),
        text_setting("gpu_resource", "The resource that its GPUs are.", R"("nvidia.com/gpu")"),
        map_of(quantity("resources", "Further resources, by name.")),
        map_of(quantity("allocatable",
                        "What is left for pods, by resource, where that is less than there is.")),
        map_of(quantity("static_pods",
                        "What the cloud counts for pods that every machine runs, by resource.")),
        list_of(table("mix",
                      "Further types, of which machines are made in turn. Of each resource the "
                      "template has the least.",
                      type_fields())),
        map_of(text_setting("labels",
                            "Labels of the node. Those every node has are added: operating system, "
                            "architecture, machine type, zone and region.")),
        list_of(text_setting("taints", "Taints of the node: \"key=value:NoSchedule\".")),
        text_setting("arch", "Architecture.", R"("amd64")"),
        text_setting("os", "Operating system.", R"("linux")")};
}

/// The fields have no defaults: with defaults, an absent table would look like a present one.
std::vector<Setting> failure_fields() {
    return {
        {.key = "code",
         .type = SettingType::enumeration,
         .doc = "What kind of error it is.",
         .required = true,
         .allowed = {"unavailable", "throttled", "quota", "out_of_capacity", "permission",
                     "unauthenticated", "invalid_argument", "not_found", "conflict", "internal"}},
        text_setting("message", "What the cloud says.")};
}

std::vector<Setting> option_fields() {
    return {share_setting("utilization_threshold", "A node that is used less may be removed."),
            share_setting("gpu_utilization_threshold", "The same for nodes with GPUs."),
            duration("unneeded_time", "How long a node is not needed before it is removed."),
            duration("unready_time", "How long a node is not ready before it is removed."),
            duration("device_settling_time",
                     "How long a ready node may lack extended resources of its machine."),
            duration("settling_time",
                     "How long a ready node may lack labels of its machine, or have other taints."),
            duration("max_node_provision_time", "How long a machine may take to become a node."),
            duration("drain_timeout", "How long pods may take to leave a node."),
            flag("zero_or_max", "The group is only ever empty or full."),
            flag("ignore_daemonsets_utilization", "What DaemonSets use does not count as use.")};
}

std::vector<Setting> notice_fields() {
    return {{.key = "reason",
             .type = SettingType::enumeration,
             .doc = "Why they leave; without it spot_interruption.",
             .allowed = {"other", "spot_interruption", "rebalance", "maintenance", "expiry",
                         "unhealthy"}},
            duration("after",
                     "Time from the notice until they leave; without it the time is unknown. They "
                     "vanish by another change alone.")};
}

std::vector<Setting> change_fields() {
    return {
        required(duration("at", "When, from the start.")),
        count("capacity", "Machines the cloud has at all from now on."),
        flag("unlimited", "From now on it has as many as it is asked for.", "false"),
        table("fail", "Increases fail from now on.", failure_fields()),
        table("fail_removals", "No machine can be removed from now on.", failure_fields()),
        table("error", "What machines that stay requested carry from now on.", failure_fields()),
        flag("recover", "None of these three any more.", "false"),
        count("target",
              "Somebody else sets the target: machines are requested, or requests and "
              "then the youngest machines go."),
        count("lose", "Machines that vanish, the oldest first; others are requested for them.",
              "0"),
        count("take", "Machines that vanish, the oldest first, and the target with them.", "0"),
        table("notice",
              "Announces that machines are about to leave: the oldest one, or `machines`.",
              notice_fields()),
        flag("withdraw", "Takes notices back: all of them, or those of `machines`.", "false"),
        list_of(count("machines",
                      "The machines, by number, that vanish, get a notice or lose theirs.")),
        count("run", "Requested machines that run at once, whatever the capacity.", "0"),
        count("add", "Further machines that run at once; the target rises by as many.", "0")};
}

std::vector<Setting> size_fields() {
    return {count("min", "Machines it never falls below.", "0"),
            count("max", "Machines it never grows beyond; no limit without it."),
            count("size", "Machines that run at the start; min without it."),
            count("capacity", "Machines the cloud has at all; no limit without it."),
            {.key = "on_exhausted",
             .type = SettingType::enumeration,
             .doc = "An increase for which there are no machines: report takes it and puts an "
                    "error to the machines that stay requested, refuse takes as many as there are "
                    "or answers out_of_capacity, silent takes it and says nothing.",
             .default_value = R"("report")",
             .allowed = {"report", "refuse", "silent"}},
            duration("error_after", "How long a machine stays requested before its error shows.",
                     R"("0s")")};
}

std::vector<Setting> group_fields() {
    std::vector<Setting> out{required(text_setting("id", "Its name, used once.")),
                             text_setting("zone", "Where its machines are."),
                             required(table("machine", "What each is.", machine_fields()))};
    for (Setting& field : size_fields()) out.push_back(std::move(field));
    out.push_back(duration("boot", "How long a machine takes to run.", R"("60s")"));
    out.push_back(
        duration("delete_time", "How long a machine takes to go once it is removed.", R"("0s")"));
    out.push_back({.key = "price_per_hour",
                   .type = SettingType::number,
                   .doc = "Of one machine, in `currency`.",
                   .min = 0,
                   .max = 1e6});
    out.push_back(flag("spot", "The cloud may take its machines back.", "false"));
    out.push_back(table("fail", "Every increase fails with this.", failure_fields()));
    out.push_back(table("options", "Its own wishes.", option_fields()));
    out.push_back(text_setting("addresses",
                               "Machines have addresses, which begin with this text and end with "
                               "the machine's number."));
    out.push_back(list_of(table("changes", "What happens to it later.", change_fields())));
    return out;
}

Setting price(std::string_view key, std::string_view doc) {
    return {.key = key, .type = SettingType::number, .doc = doc, .min = 0, .max = 1e6};
}

std::vector<Setting> machine_type_fields() {
    std::vector<Setting> out{
        required(table("machine", "What each is; `type` is the name.", machine_fields())),
        list_of(text_setting("zones", "Where it can be had; the cloud has no zones without it.")),
        flag("on_demand", "Groups can be made of it on demand.", "true"),
        flag("spot", "And of spot machines, which the cloud may take back.", "false"),
        price("price_per_hour", "Of one machine on demand, in `currency`."),
        price("spot_price_per_hour", "Of one spot machine."),
        duration("boot", "How long a machine takes to run.", R"("60s")"),
        duration("delete_time", "How long a machine takes to go once it is removed.", R"("0s")"),
        table("fail", "Every increase of a group of it fails with this.", failure_fields()),
        table("fail_create", "No group can be made of it.", failure_fields()),
        table("fail_delete", "No group of it can be deleted.", failure_fields())};
    for (Setting& field : size_fields()) {
        if (field.key == "capacity") field.doc = "Machines that each group gets at most.";
        if (field.key == "capacity" || field.key == "on_exhausted" || field.key == "error_after")
            out.push_back(std::move(field));
    }
    return out;
}

}  // namespace

Schema config_schema() {
    Setting groups = list_of(table("groups", "The node groups.", group_fields()));
    groups.default_value =
        R"([{ id = "simulated", max = 10, machine = { cpu = "4", memory = "16Gi" } }])";
    groups.live = true;
    return {
        live(duration("latency", "How long each call takes.", R"("0s")")),
        live(table("fail", "Every call fails with this.", failure_fields())),
        duration("refresh_every",
                 "The lists of machines are as they were when so much time had passed, again "
                 "and again, but that of a group is new after a removal; 0s: as they are.",
                 R"("0s")"),
        duration("list_lag",
                 "Groups and machines are listed as they were so long ago, targets too; requests "
                 "are answered as they are.",
                 R"("0s")"),
        flag("notices",
             "Asks the host for a pass at each of its groups' changes, as a cloud that is told of "
             "them.",
             "false"),
        flag("register_nodes",
             "Machines that run join the cluster as Node objects without a kubelet, for kwok to "
             "look after. Needs the grants state and kube, nodes:list,watch,create,delete.",
             "false"),
        text_setting("region", "Where the zones are.", R"("simulated")"),
        text_setting("currency", "Of all prices, ISO 4217.", R"("USD")"),
        std::move(groups),
        live(list_of(table("machine_types", "What node auto-provisioning may make groups of.",
                           machine_type_fields())))};
}

}  // namespace capstan::simulated
