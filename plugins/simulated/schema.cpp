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
    return {required(text_setting("type", "Name of the type, for the label of its nodes.")),
            required(quantity("cpu", "Cores.")), required(quantity("memory", "Memory."))};
}

std::vector<Setting> machine_fields() {
    return {text_setting("type", "Machine type, for the label node.kubernetes.io/instance-type."),
            required(quantity("cpu", "Cores.")),
            required(quantity("memory", "Memory.")),
            count("pods", "Maximum number of pods.", "110"),
            quantity("ephemeral_storage", "Disk for pods."),
            count("gpu", "GPUs.", "0"),
            text_setting("gpu_resource", "Resource name of its GPUs.", R"("nvidia.com/gpu")"),
            map_of(quantity("resources", "Additional resources, by name.")),
            map_of(quantity("allocatable",
                            "Amounts available to pods, by resource. Unset: the capacity.")),
            map_of(quantity("static_pods",
                            "Requests of static pods that run on each machine, by resource.")),
            list_of(table("mix",
                          "Additional types; machines are created of all types in turn. The "
                          "template has the minimum of each resource.",
                          type_fields())),
            map_of(text_setting("labels",
                                "Labels of the node. The labels for operating system, "
                                "architecture, machine type, zone and region are added.")),
            list_of(text_setting("taints", "Taints of the node: \"key=value:NoSchedule\".")),
            text_setting("arch", "Architecture.", R"("amd64")"),
            text_setting("os", "Operating system.", R"("linux")")};
}

/// The fields have no defaults: with defaults, an absent table would look like a present one.
std::vector<Setting> failure_fields() {
    return {
        {.key = "code",
         .type = SettingType::enumeration,
         .doc = "Kind of error.",
         .required = true,
         .allowed = {"unavailable", "throttled", "quota", "out_of_capacity", "permission",
                     "unauthenticated", "invalid_argument", "not_found", "conflict", "internal"}},
        text_setting("message", "Message of the cloud.")};
}

std::vector<Setting> option_fields() {
    return {
        share_setting("utilization_threshold",
                      "A node with this utilization or less may be removed."),
        share_setting("gpu_utilization_threshold",
                      "Like utilization_threshold, for nodes with GPUs."),
        duration("unneeded_time", "How long a node must be unneeded before it is removed."),
        duration("unready_time",
                 "How long a node that is not ready must be unneeded before it is removed."),
        duration("device_settling_time",
                 "How long a ready node may lack extended resources of its template."),
        duration("settling_time",
                 "How long a ready node may lack labels of its template, or have other taints."),
        duration("max_node_provision_time", "Maximum time until a machine joins the cluster."),
        duration("drain_timeout", "Maximum time to drain a node."),
        flag("zero_or_max", "If true, the group is scaled only between 0 and its maximum."),
        flag("ignore_daemonsets_utilization",
             "If true, DaemonSet pods do not count toward utilization.")};
}

std::vector<Setting> notice_fields() {
    return {{.key = "reason",
             .type = SettingType::enumeration,
             .doc = "Reason of the notice. Unset: spot_interruption.",
             .allowed = {"other", "spot_interruption", "rebalance", "maintenance", "expiry",
                         "unhealthy"}},
            duration("after",
                     "Time from the notice to the announced termination. Unset: unknown. The "
                     "machines vanish only by another change.")};
}

std::vector<Setting> change_fields() {
    return {
        required(duration("at", "Time of the change, from the start.")),
        count("capacity", "New capacity: machines that the cloud has in total."),
        flag("unlimited", "If true, removes the limit of capacity.", "false"),
        table("fail", "Increases fail with this error from now on.", failure_fields()),
        table("fail_removals", "Removals fail with this error from now on.", failure_fields()),
        table("error", "Requested machines report this error from now on.", failure_fields()),
        flag("recover", "If true, ends fail, fail_removals and error.", "false"),
        count("target",
              "Target set by another client: a higher target requests machines; a lower one "
              "cancels requests, then removes the youngest machines."),
        count("lose", "Number of machines that vanish, oldest first, and are requested again.",
              "0"),
        count("take", "Number of machines that vanish, oldest first; the target is lowered too.",
              "0"),
        table("notice",
              "Announces the termination of machines: the oldest one, or those in `machines`.",
              notice_fields()),
        flag("withdraw", "If true, withdraws notices: all of them, or those of `machines`.",
             "false"),
        list_of(
            count("machines", "Numbers of the machines that vanish, get a notice or lose theirs.")),
        count("run",
              "Number of requested machines that start running at once, regardless of capacity.",
              "0"),
        count("add", "Number of machines added and running at once; the target is raised too.",
              "0")};
}

std::vector<Setting> size_fields() {
    return {count("min", "Minimum size.", "0"),
            count("max", "Maximum size. Unset: no limit."),
            count("size", "Machines running at the start. Unset: min."),
            count("capacity", "Machines that the cloud has in total. Unset: no limit."),
            {.key = "on_exhausted",
             .type = SettingType::enumeration,
             .doc = "Reaction to an increase beyond the capacity: report accepts it and reports an "
                    "error for the missing machines; refuse grants what is left, or fails with "
                    "out_of_capacity; silent accepts it without an error.",
             .default_value = R"("report")",
             .allowed = {"report", "refuse", "silent"}},
            duration("error_after", "Delay until the error of a requested machine is reported.",
                     R"("0s")")};
}

std::vector<Setting> group_fields() {
    std::vector<Setting> out{
        required(text_setting("id", "Unique id of the group.")),
        text_setting("zone", "Zone of its machines."),
        required(table("machine", "The machine of each node.", machine_fields()))};
    for (Setting& field : size_fields()) out.push_back(std::move(field));
    out.push_back(duration("boot", "Time until a machine is running.", R"("60s")"));
    out.push_back(duration("delete_time", "Time until a removed machine is gone.", R"("0s")"));
    out.push_back({.key = "price_per_hour",
                   .type = SettingType::number,
                   .doc = "Price of one machine, in `currency`.",
                   .min = 0,
                   .max = 1e6});
    out.push_back(flag("spot", "If true, the machines are spot machines.", "false"));
    out.push_back(table("fail", "All increases fail with this error.", failure_fields()));
    out.push_back(table("options", "Options of the group, which override the global settings.",
                        option_fields()));
    out.push_back(text_setting("addresses",
                               "Prefix of the machines' addresses, followed by the machine's "
                               "number. Unset: no addresses."));
    out.push_back(list_of(table("changes", "Changes of the group over time.", change_fields())));
    return out;
}

Setting price(std::string_view key, std::string_view doc) {
    return {.key = key, .type = SettingType::number, .doc = doc, .min = 0, .max = 1e6};
}

std::vector<Setting> machine_type_fields() {
    std::vector<Setting> out{
        required(table("machine", "The machine; `type` is the name of the machine type.",
                       machine_fields())),
        list_of(text_setting("zones", "Zones that offer it. Unset: the cloud has no zones.")),
        flag("on_demand", "If true, on-demand groups can be created.", "true"),
        flag("spot", "If true, spot groups can be created.", "false"),
        price("price_per_hour", "Price of one on-demand machine, in `currency`."),
        price("spot_price_per_hour", "Price of one spot machine, in `currency`."),
        duration("boot", "Time until a machine is running.", R"("60s")"),
        duration("delete_time", "Time until a removed machine is gone.", R"("0s")"),
        table("fail", "All increases of its groups fail with this error.", failure_fields()),
        table("fail_create", "Creating a group fails with this error.", failure_fields()),
        table("fail_delete", "Deleting a group fails with this error.", failure_fields())};
    for (Setting& field : size_fields()) {
        if (field.key == "capacity")
            field.doc = "Maximum machines of each group that the cloud can provide.";
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
        live(duration("latency", "Duration of each call.", R"("0s")")),
        live(table("fail", "All calls fail with this error.", failure_fields())),
        live(duration("answer_latency",
                      "Time from the effect of a change (increase, decrease, removal, creation or "
                      "deletion of a group) to its response.",
                      R"("0s")")),
        live(table("fail_answers", "All changes take effect and then fail with this error.",
                   failure_fields())),
        duration("refresh_every",
                 "Machine lists are updated only this often; a removal updates the list of its "
                 "group at once. 0s: always current.",
                 R"("0s")"),
        duration("list_lag",
                 "Lists of groups, machines and targets are this old. Responses to requests are "
                 "current.",
                 R"("0s")"),
        live(count("list_omits",
                   "Lists omit machines whose number is a multiple of this, as if a page were "
                   "missing. 0: none.",
                   "0")),
        flag("notices",
             "If true, each change of a group starts a pass, as with a cloud that sends "
             "notifications.",
             "false"),
        flag("register_nodes",
             "If true, running machines are created as Node objects without a kubelet, for kwok to "
             "manage. Needs the grants state and kube = [\"nodes:list,watch,create,delete\"].",
             "false"),
        text_setting("region", "Region of the zones.", R"("simulated")"),
        text_setting("currency", "Currency of all prices, ISO 4217.", R"("USD")"),
        std::move(groups),
        live(list_of(table("machine_types", "Machine types for node auto-provisioning.",
                           machine_type_fields())))};
}

}  // namespace capstan::simulated
