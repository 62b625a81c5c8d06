#include "config.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include <capstan/sentence.hpp>

#include "wire/service.hpp"

namespace capstan::gce {
namespace {

Setting text_setting(std::string_view key, std::string_view doc) {
    return {.key = key, .type = SettingType::string, .doc = doc};
}

Setting texts_setting(std::string_view key, std::string_view doc) {
    return {
        .key = key, .type = SettingType::string, .doc = doc, .default_value = "[]", .list = true};
}

Setting text_map_setting(std::string_view key, std::string_view doc) {
    return {
        .key = key, .type = SettingType::string, .doc = doc, .default_value = "{}", .map = true};
}

Setting whole_setting(std::string_view key, std::string_view by_default, double min, double max,
                      std::string_view doc) {
    return {.key = key,
            .type = SettingType::integer,
            .doc = doc,
            .default_value = by_default,
            .min = min,
            .max = max};
}

Schema credentials_schema() {
    return {
        text_setting("file",
                     "Google credentials file of a service account, workload identity federation "
                     "or a user. Unset: GOOGLE_APPLICATION_CREDENTIALS, gcloud's credentials, then "
                     "the metadata server."),
        {.key = "key",
         .type = SettingType::secret,
         .doc = "Content of a credentials file, as a secret. Takes precedence over `file`."},
        text_setting("impersonate", "Service account to impersonate with the credentials found."),
        text_setting(
            "quota_project",
            "Project that API calls are billed to, if not the project of the credentials."),
        text_setting("metadata_host", "Host and port of the metadata server, if not the default."),
        {.key = "anonymous",
         .type = SettingType::boolean,
         .doc = "If true, requests carry no token; for test servers.",
         .default_value = "false"}};
}

Schema provisioning_schema() {
    return {
        text_setting("instance_template",
                     "Name or link of the instance template that gives new instances their image, "
                     "network and kube-env. Setting it enables node auto-provisioning."),
        texts_setting("zones",
                      "Zones for new instances. Empty: the zones of the template's region."),
        texts_setting("machine_types",
                      "Machine types for new groups, such as \"n2-*\". Empty: all suitable types."),
        whole_setting("max_size", "1000", 1, 10'000, "Maximum size of a created group."),
        text_map_setting("labels",
                         "Additional labels of the instances of created groups, by key.")};
}

Schema group_settings() {
    return {
        text_setting("project",
                     "Project for discovery and for created groups. Unset: GOOGLE_CLOUD_PROJECT, "
                     "the project of the credentials or of the metadata server."),
        texts_setting(
            "discovery",
            "Selects groups by name prefix: \"namePrefix=gke-prod-,min=0,max=10\". The prefix is a "
            "regular expression. If several entries match a group, the first one applies."),
        texts_setting("groups",
                      "Groups by link, as min:max:link. They are listed even if they do not exist. "
                      "These limits take precedence over those in `discovery`."),
        texts_setting("locations",
                      "Zones and regions to search for `discovery`; a region includes its zones. "
                      "Empty: all."),
        text_setting(
            "cluster",
            "Name of the cluster. Groups created by node auto-provisioning are labeled with it."),
        {.key = "refresh_every",
         .type = SettingType::duration,
         .doc = "How long the list of a group's instances is reused while the group does not "
                "change. Groups, and the instances of changing groups, are read in each pass.",
         .default_value = "\"1h\"",
         .min = std::chrono::seconds(0),
         .max = std::chrono::hours(1)},
        {.key = "max_pods",
         .type = SettingType::integer,
         .doc = "Maximum pods per node, if the instance template does not set it. Unset: 110.",
         .min = 1,
         .max = 1000},
        text_setting("price_file", "File of prices. Without it, prices are unknown.")};
}

Schema connection_settings() {
    return {
        {.key = "endpoint_url",
         .type = SettingType::url,
         .doc = "URL for all services, instead of Google's endpoints."},
        {.key = "endpoints",
         .type = SettingType::url,
         .doc = "URLs of single services, by name: compute, cloudresourcemanager, iamcredentials, "
                "sts, oauth2.",
         .default_value = "{}",
         .map = true},
        {.key = "timeout",
         .type = SettingType::duration,
         .doc = "Timeout of one attempt of an API call.",
         .default_value = "\"7s\"",
         .min = std::chrono::seconds(1),
         .max = std::chrono::minutes(1)},
        whole_setting("parallel_calls", "8", 1, 64, "Maximum concurrent API calls of one kind."),
        {.key = "credentials",
         .type = SettingType::table,
         .doc = "Source of access tokens. Unset: the environment, gcloud's files and the metadata "
                "server are tried in this order.",
         .fields = credentials_schema()}};
}

std::string text_or_empty(const Settings& settings, std::string_view key) {
    return settings.has(key) ? settings.text(key) : std::string();
}

std::optional<ProvisioningSettings> read_provisioning(const Settings& settings) {
    ProvisioningSettings out{.instance_template = text_or_empty(settings, "instance_template")};
    if (out.instance_template.empty()) return std::nullopt;
    out.zones = settings.texts("zones");
    out.machine_types = settings.texts("machine_types");
    out.max_size = static_cast<int>(settings.integer("max_size"));
    for (auto& [name, value] : settings.text_map("labels"))
        out.labels.insert_or_assign(name, value);
    return out;
}

CredentialsConfig read_credentials(const Settings& settings) {
    const auto read = [&](std::string_view key) { return text_or_empty(settings, key); };
    return {.file = read("file"),
            .key_secret = read("key"),
            .impersonate = read("impersonate"),
            .quota_project = read("quota_project"),
            .metadata_host = read("metadata_host"),
            .anonymous = settings.has("anonymous") && settings.boolean("anonymous")};
}

EndpointConfig read_endpoints(const Settings& settings) {
    EndpointConfig out;
    if (settings.has("endpoint_url")) out.overrides[""] = settings.text("endpoint_url");
    for (auto& [service, url] : settings.text_map("endpoints")) out.overrides[service] = url;
    return out;
}

void check_groups(const Settings& settings) {
    const std::vector<std::string> discovery = settings.texts("discovery");
    for (std::size_t i = 0; i < discovery.size(); ++i) {
        if (const auto spec = parse_discovery(discovery[i]); !spec)
            settings.reject("discovery", i, spec.error().message);
    }
    const std::vector<std::string> groups = settings.texts("groups");
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (const auto group = parse_static_group(groups[i]); !group)
            settings.reject("groups", i, group.error().message);
    }
}

void check_provisioning(const Settings& settings) {
    const Settings table = settings.table("provisioning");
    const bool is_on = !text_or_empty(table, "instance_template").empty();
    const bool has_cluster = !text_or_empty(settings, "cluster").empty();
    if (is_on && !has_cluster)
        settings.reject("provisioning", "needs `cluster`: created groups are labeled with it");
    const bool has_more = settings.has("provisioning") &&
                          (!table.texts("zones").empty() || !table.texts("machine_types").empty());
    if (!is_on && has_more)
        settings.reject("provisioning",
                        "needs instance_template, from which instances are created");
    const bool has_groups =
        !settings.texts("discovery").empty() || !settings.texts("groups").empty();
    if (!has_groups && !is_on)
        settings.reject(
            "", "no groups configured: set `discovery` (by name prefix) or `groups` (by link)");
}

void check_endpoints(const Settings& settings) {
    const auto urls = settings.text_map("endpoints");
    for (std::size_t i = 0; i < urls.size(); ++i) {
        const auto is_named = [&](Service service) { return name_of(service) == urls[i].first; };
        if (std::none_of(std::begin(all_services), std::end(all_services), is_named))
            settings.reject(
                "endpoints", i,
                "unknown service " + in_quotes(urls[i].first) +
                    "; expected one of compute, cloudresourcemanager, iamcredentials, sts, oauth2");
    }
}

void check_credentials(const Settings& settings) {
    const Settings table = settings.table("credentials");
    const bool has_source =
        !text_or_empty(table, "file").empty() || !text_or_empty(table, "key").empty();
    if (table.has("anonymous") && table.boolean("anonymous") && has_source)
        settings.reject("credentials", "anonymous cannot be combined with other credentials");
}

}  // namespace

Schema gce_schema() {
    Schema out;
    for (Schema part : {group_settings(), connection_settings()})
        out.insert(out.end(), part.begin(), part.end());
    out.push_back(
        {.key = "provisioning",
         .type = SettingType::table,
         .doc = "Node auto-provisioning: creates groups for pods that fit no existing group.",
         .fields = provisioning_schema()});
    return out;
}

GceConfig read_gce_config(const Settings& settings) {
    GceConfig out{.project = text_or_empty(settings, "project"),
                  .cluster = text_or_empty(settings, "cluster"),
                  .locations = settings.texts("locations"),
                  .refresh_every = settings.duration("refresh_every"),
                  .price_file = text_or_empty(settings, "price_file"),
                  .endpoints = read_endpoints(settings),
                  .timeout = settings.duration("timeout"),
                  .parallel_calls = static_cast<std::size_t>(settings.integer("parallel_calls")),
                  .credentials = read_credentials(settings.table("credentials")),
                  .provisioning = read_provisioning(settings.table("provisioning"))};
    if (settings.has("max_pods"))
        out.templates.max_pods = static_cast<int>(settings.integer("max_pods"));
    for (const std::string& text : settings.texts("discovery"))
        if (auto spec = parse_discovery(text)) out.discovery.push_back(*std::move(spec));
    for (const std::string& text : settings.texts("groups"))
        if (auto group = parse_static_group(text)) out.groups.push_back(*std::move(group));
    return out;
}

void check_gce_config(const Settings& settings) {
    check_groups(settings);
    check_provisioning(settings);
    check_endpoints(settings);
    check_credentials(settings);
}

}  // namespace capstan::gce
