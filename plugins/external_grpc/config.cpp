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
    return {share_setting("utilization_threshold", "Below it a node may be removed."),
            share_setting("gpu_utilization_threshold", "The same for nodes with GPUs."),
            flag_setting("zero_or_max", "Whether a group is only ever empty or full."),
            flag_setting("ignore_daemonsets_utilization",
                         "Whether pods of DaemonSets count as no use of a node."),
            duration_setting("unneeded_time", "\"10m\"", "How long a node is unneeded first."),
            duration_setting("unready_time", "\"20m\"", "How long one that is not ready is."),
            duration_setting("max_node_provision_time", "\"15m\"",
                             "How long a machine may take until it joins."),
            duration_setting("max_node_startup_time", "\"15m\"",
                             "How long a node may take until it is ready.")};
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
    return {{.key = "address",
             .type = SettingType::url,
             .doc = "Where the server is: https://NAME:PORT, or http:// for one without TLS. The "
                    "certificates for https are in [plugin.ID.tls].",
             .required = true},
            {.key = "authority",
             .type = SettingType::string,
             .doc = "What requests call the server, where that is not its address, as behind a "
                    "proxy that tells servers apart."},
            duration_setting("timeout", timeout, "How long one call may take.")};
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
        settings.reject("timeout", "is shorter than a millisecond");
}

bool is_currency(std::string_view text) {
    return text.size() == 3 &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_ascii_upper(c); });
}

}  // namespace

std::string find_address_mistake(const std::string& url) {
    const std::size_t slashes = url.find("://");
    if (slashes == std::string::npos) return "has no scheme, which is https:// or http://";
    const std::string scheme = url.substr(0, slashes);
    if (scheme != "https" && scheme != "http")
        return "has the scheme " + scheme + ", and only https and http are spoken";
    const std::string rest = url.substr(slashes + 3);
    if (rest.empty() || rest[0] == ':' || rest[0] == '/') return "names no server";
    const std::size_t end = rest.find_first_of("/?#");
    if (end != std::string::npos && rest.substr(end) != "/")
        return "goes on after the server's name; gRPC's calls make up the path";
    if (rest.find('@') != std::string::npos) return "has credentials, which gRPC does not send";
    return {};
}

Schema cloud_schema() {
    Schema out = server_schema("\"10s\"");
    const Schema more{
        {.key = "parallel_calls",
         .type = SettingType::integer,
         .doc = "How many calls are made at the same time when groups are read.",
         .default_value = "16",
         .min = 1,
         .max = 64},
        duration_setting("refresh_every", "\"0s\"",
                         "How long what was read holds, unless something was changed: 0s reads "
                         "groups and machines in each pass."),
        duration_setting("details_every", "\"1m\"",
                         "How long a group's template, options and price hold."),
        {.key = "currency",
         .type = SettingType::string,
         .doc = "Of the server's prices, in three letters.",
         .default_value = "\"USD\""},
        {.key = "defaults",
         .type = SettingType::table,
         .doc = "What the server is told are the options of a group without wishes. An answer that "
                "is one of these is no wish of the group.",
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
        settings.reject("currency", "is not three capital letters");
}

Schema expander_schema() {
    Schema out = server_schema("\"5s\"");
    out.push_back({.key = "request_size_max",
                   .type = SettingType::quantity,
                   .doc = "How long a question may be, in bytes. Of more pods than that some are "
                          "left out.",
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
