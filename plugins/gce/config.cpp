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
    return {text_setting("file",
                         "A file of credentials as Google writes them: of a service account, of "
                         "workload identity federation, of a user. Else "
                         "GOOGLE_APPLICATION_CREDENTIALS, gcloud's own, the metadata server."),
            {.key = "key",
             .type = SettingType::secret,
             .doc = "The content of such a file as a secret; before `file`."},
            text_setting("impersonate",
                         "A service account whose tokens are asked for with what was found "
                         "otherwise."),
            text_setting("quota_project",
                         "The project that calls are counted on, where it is not the "
                         "credentials' own."),
            text_setting("metadata_host",
                         "The metadata server's host and port, where it is not at its usual "
                         "place."),
            {.key = "anonymous",
             .type = SettingType::boolean,
             .doc = "Whether requests go without a token, for servers that play Google.",
             .default_value = "false"}};
}

Schema provisioning_schema() {
    return {text_setting("instance_template",
                         "The name or link of the instance template whose image, network and "
                         "kube-env new machines have. With it groups are made where none fits."),
            texts_setting("zones",
                          "The zones in which machines may be made; none: those of the "
                          "template's region."),
            texts_setting("machine_types",
                          "The types to make groups of, such as \"n2-*\"; none: all that suit."),
            whole_setting("max_size", "1000", 1, 10'000, "The maximum of a group that is made."),
            text_map_setting("labels", "More labels of the machines of such groups, by key.")};
}

Schema group_settings() {
    return {
        text_setting("project",
                     "The project of discovery and of groups that are made; else "
                     "GOOGLE_CLOUD_PROJECT, the credentials' or the metadata server's."),
        texts_setting("discovery",
                      "Groups by the beginning of their names: "
                      "\"namePrefix=gke-prod-,min=0,max=10\", where the prefix is a regular "
                      "expression. Of more than one the first that suits counts."),
        texts_setting("groups",
                      "Groups by their links, as min:max:link. They are listed whether or not "
                      "they exist, and these limits count before a discovery's."),
        texts_setting("locations",
                      "The zones and regions in which discovery looks, a region with its zones; "
                      "none: all."),
        text_setting("cluster", "The cluster's name, as groups that are made here carry it."),
        {.key = "refresh_every",
         .type = SettingType::duration,
         .doc = "How long the list of a group's machines holds while nothing of the group moves. "
                "Groups themselves, and machines of those that move, are read in each pass.",
         .default_value = "\"1h\"",
         .min = std::chrono::seconds(0),
         .max = std::chrono::hours(1)},
        {.key = "max_pods",
         .type = SettingType::integer,
         .doc = "How many pods a node takes where its instance template does not say, in place of "
                "110.",
         .min = 1,
         .max = 1000},
        text_setting("price_file", "A file of prices. Without one no price is known.")};
}

Schema connection_settings() {
    return {{.key = "endpoint_url",
             .type = SettingType::url,
             .doc = "Where all services are, in place of Google's endpoints."},
            {.key = "endpoints",
             .type = SettingType::url,
             .doc = "Where single services are, by name: compute, cloudresourcemanager, "
                    "iamcredentials, sts, oauth2.",
             .default_value = "{}",
             .map = true},
            {.key = "timeout",
             .type = SettingType::duration,
             .doc = "How long one attempt of a call may take.",
             .default_value = "\"7s\"",
             .min = std::chrono::seconds(1),
             .max = std::chrono::minutes(1)},
            whole_setting("parallel_calls", "8", 1, 64,
                          "How many calls of one kind are made at the same time."),
            {.key = "credentials",
             .type = SettingType::table,
             .doc = "Where access tokens come from. Without it: the environment, gcloud's files "
                    "and the metadata server.",
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
        settings.reject("provisioning", "needs `cluster`: groups that are made carry its name");
    const bool has_more = settings.has("provisioning") &&
                          (!table.texts("zones").empty() || !table.texts("machine_types").empty());
    if (!is_on && has_more)
        settings.reject("provisioning", "names no instance_template to make machines from");
    const bool has_groups =
        !settings.texts("discovery").empty() || !settings.texts("groups").empty();
    if (!has_groups && !is_on)
        settings.reject("",
                        "names no groups: by their names in `discovery`, or by their links in "
                        "`groups`");
}

void check_endpoints(const Settings& settings) {
    const auto urls = settings.text_map("endpoints");
    for (std::size_t i = 0; i < urls.size(); ++i) {
        const auto is_named = [&](Service service) { return name_of(service) == urls[i].first; };
        if (std::none_of(std::begin(all_services), std::end(all_services), is_named))
            settings.reject("endpoints", i,
                            "is for " + in_quotes(urls[i].first) +
                                ", and services are compute, cloudresourcemanager, "
                                "iamcredentials, sts and oauth2");
    }
}

void check_credentials(const Settings& settings) {
    const Settings table = settings.table("credentials");
    const bool has_source =
        !text_or_empty(table, "file").empty() || !text_or_empty(table, "key").empty();
    if (table.has("anonymous") && table.boolean("anonymous") && has_source)
        settings.reject("credentials", "are anonymous, and name where others are");
}

}  // namespace

Schema gce_schema() {
    Schema out;
    for (Schema part : {group_settings(), connection_settings()})
        out.insert(out.end(), part.begin(), part.end());
    out.push_back({.key = "provisioning",
                   .type = SettingType::table,
                   .doc = "Node auto-provisioning: groups that are made where none fits.",
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
