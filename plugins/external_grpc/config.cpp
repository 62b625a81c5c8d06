#include "config.hpp"

#include <algorithm>
#include <string_view>

#include <capstan/ascii.hpp>

#include "grpc_frame.hpp"

namespace capstan::external_grpc {
namespace {

Setting duration_setting(std::string_view key, std::string_view by_default, std::string_view doc) {
    return {.key = key, .type = SettingType::duration, .doc = doc, .default_value = by_default};
}

Setting share_setting(std::string_view key, std::string_view doc) {
    return {.key = key,
            .type = SettingType::number,
            .doc = doc,
            .default_value = "0.5",
            .min = 0,
            .max = 1};
}

Setting flag_setting(std::string_view key, std::string_view doc) {
    return {.key = key, .type = SettingType::boolean, .doc = doc, .default_value = "false"};
}

Schema defaults_schema() {
    return {
        share_setting("utilization_threshold",
                      "A node with this utilization or less may be removed."),
        share_setting("gpu_utilization_threshold",
                      "Like utilization_threshold, for nodes with GPUs."),
        flag_setting("zero_or_max", "If true, groups are scaled only between 0 and their maximum."),
        flag_setting("ignore_daemonsets_utilization",
                     "If true, DaemonSet pods do not count toward utilization."),
        duration_setting("unneeded_time", "\"10m\"",
                         "How long a node must be unneeded before it is removed."),
        duration_setting(
            "unready_time", "\"20m\"",
            "How long a node that is not ready must be unneeded before it is removed."),
        duration_setting("max_node_provision_time", "\"15m\"",
                         "Maximum time until a machine joins the cluster."),
        duration_setting("max_node_startup_time", "\"15m\"",
                         "Maximum time until a node is ready.")};
}

OptionDefaults read_defaults(const Settings& settings) {
    return {.utilization_threshold = settings.number("utilization_threshold"),
            .gpu_utilization_threshold = settings.number("gpu_utilization_threshold"),
            .zero_or_max = settings.boolean("zero_or_max"),
            .ignore_daemonsets_utilization = settings.boolean("ignore_daemonsets_utilization"),
            .unneeded_time = settings.duration("unneeded_time"),
            .unready_time = settings.duration("unready_time"),
            .max_node_provision_time = settings.duration("max_node_provision_time"),
            .max_node_startup_time = settings.duration("max_node_startup_time")};
}

Schema server_schema(std::string_view timeout) {
    return {
        {.key = "address",
         .type = SettingType::url,
         .doc = "URL of the server: https://NAME:PORT, or http://NAME:PORT without TLS. TLS is "
                "configured in [plugin.ID.tls].",
         .required = true},
        {.key = "authority",
         .type = SettingType::string,
         .doc =
             "Value of the :authority header, if not the address; for proxies that route by it."},
        duration_setting("timeout", timeout, "Timeout of one call.")};
}

ServerAddress read_server(const Settings& settings) {
    ServerAddress out{.url = settings.text("address"), .timeout = settings.duration("timeout")};
    if (out.url.ends_with('/')) out.url.pop_back();
    if (settings.has("authority")) out.authority = settings.text("authority");
    return out;
}

void check_server(const Settings& settings) {
    const std::string mistake = find_address_mistake(settings.text("address"));
    if (!mistake.empty()) settings.reject("address", mistake);
    if (settings.duration("timeout") < std::chrono::milliseconds(1))
        settings.reject("timeout", "must be at least 1ms");
}

bool is_currency(std::string_view text) {
    return text.size() == 3 &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_ascii_upper(c); });
}

}  // namespace

std::string find_address_mistake(const std::string& url) {
    const std::size_t slashes = url.find("://");
    if (slashes == std::string::npos) return "has no scheme; expected https:// or http://";
    const std::string scheme = url.substr(0, slashes);
    if (scheme != "https" && scheme != "http")
        return "unknown scheme " + scheme + "; expected https or http";
    const std::string rest = url.substr(slashes + 3);
    if (rest.empty() || rest[0] == ':' || rest[0] == '/') return "has no server name";
    const std::size_t end = rest.find_first_of("/?#");
    if (end != std::string::npos && rest.substr(end) != "/")
        return "must not have a path; gRPC sets it";
    if (rest.find('@') != std::string::npos)
        return "must not have credentials; gRPC does not send them";
    return {};
}

Schema cloud_schema() {
    Schema out = server_schema("\"10s\"");
    const Schema more{
        {.key = "parallel_calls",
         .type = SettingType::integer,
         .doc = "Maximum concurrent calls while groups are read.",
         .default_value = "16",
         .min = 1,
         .max = 64},
        duration_setting("refresh_every", "\"0s\"",
                         "How long groups and machines are cached, unless capstan changes them. "
                         "0s: read in each pass."),
        duration_setting("details_every", "\"1m\"",
                         "How long a group's template, options and price are cached."),
        {.key = "currency",
         .type = SettingType::string,
         .doc = "Currency of the server's prices: three letters, ISO 4217.",
         .default_value = "\"USD\""},
        {.key = "defaults",
         .type = SettingType::table,
         .doc = "Default options sent to the server. An option that the server returns unchanged "
                "counts as not set by the group.",
         .fields = defaults_schema()}};
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

CloudConfig read_cloud_config(const Settings& settings) {
    return {.server = read_server(settings),
            .parallel_calls = static_cast<std::size_t>(settings.integer("parallel_calls")),
            .refresh_every = settings.duration("refresh_every"),
            .details_every = settings.duration("details_every"),
            .currency = settings.text("currency"),
            .defaults = read_defaults(settings.table("defaults"))};
}

void check_cloud_config(const Settings& settings) {
    check_server(settings);
    if (!is_currency(settings.text("currency")))
        settings.reject("currency", "must be three capital letters");
}

Schema expander_schema() {
    Schema out = server_schema("\"5s\"");
    out.push_back({.key = "request_size_max",
                   .type = SettingType::quantity,
                   .doc = "Maximum request size in bytes. Pods beyond it are omitted.",
                   .default_value = "\"4Mi\"",
                   .min = 0,
                   .max = longest_message});
    return out;
}

ExpanderConfig read_expander_config(const Settings& settings) {
    return {.server = read_server(settings),
            .request_size_max = static_cast<std::size_t>(settings.integer("request_size_max"))};
}

void check_expander_config(const Settings& settings) { check_server(settings); }

}  // namespace capstan::external_grpc
