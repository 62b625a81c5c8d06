#include "config.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <capstan/sentence.hpp>

#include "wire/service.hpp"

namespace capstan::aws {
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

Setting switch_setting(std::string_view key, std::string_view by_default, std::string_view doc) {
    return {.key = key, .type = SettingType::boolean, .doc = doc, .default_value = by_default};
}

Setting secret_setting(std::string_view key, std::string_view doc) {
    return {.key = key, .type = SettingType::secret, .doc = doc};
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
    return {text_setting("profile", "Profile in the shared AWS files. Overrides AWS_PROFILE."),
            text_setting("role_arn", "IAM role to assume with the credentials found."),
            text_setting("external_id", "External id that the role's trust policy requires."),
            text_setting("session_name", "Name of the role's sessions."),
            text_setting("access_key_id", "Id of a long-lived access key. Prefer a role."),
            secret_setting("secret_access_key", "Secret key of access_key_id."),
            secret_setting("session_token", "Session token, if the keys are temporary."),
            {.key = "imds_endpoint",
             .type = SettingType::url,
             .doc = "URL of the instance metadata service, if it is not the default."}};
}

Schema provisioning_schema() {
    return {
        text_setting("launch_template",
                     "Name or id of the launch template that gives new instances their image, "
                     "network and role. Setting it enables node auto-provisioning."),
        {.key = "launch_template_version",
         .type = SettingType::string,
         .doc = "Version of the launch template: a number, \"$Latest\" or \"$Default\".",
         .default_value = "\"$Default\""},
        text_map_setting("subnet_tags",
                         "Tags, by key, of the subnets for new instances. Only zones with such a "
                         "subnet are used."),
        texts_setting(
            "instance_types",
            "Instance types for new groups, such as \"m6i.*\". Empty: all suitable types."),
        whole_setting("max_size", "1000", 1, 10'000, "Maximum size of a created group."),
        text_map_setting("tags", "Additional tags of created groups and their instances, by key.")};
}

Schema group_settings() {
    return {
        texts_setting("discovery",
                      "Selects groups by tag: \"k\", \"k=v\", or \"k=v,k2\" for groups with all of "
                      "these tags. A group is selected if any entry matches."),
        texts_setting("groups",
                      "Groups by name, as min:max:name. They are listed even if they do not exist. "
                      "These limits take precedence over the group's own."),
        text_setting(
            "cluster",
            "Name of the cluster. Groups created by node auto-provisioning are tagged with it."),
        {.key = "refresh_every",
         .type = SettingType::duration,
         .doc = "How often all groups are listed, and $Latest and $Default of their launch "
                "templates are resolved. Groups that are changing size are read in each pass.",
         .default_value = "\"1m\"",
         .min = std::chrono::seconds(0),
         .max = std::chrono::hours(1)},
        {.key = "mixed_template",
         .type = SettingType::enumeration,
         .doc = "Resources of a new node in a group of several instance types: the minimum of each "
                "resource, or those of the first type.",
         .default_value = "\"minimum\"",
         .allowed = {"minimum", "first"}},
        switch_setting(
            "prefix_delegation", "false",
            "Set to true if the VPC CNI assigns address prefixes: nodes then take more pods."),
        {.key = "max_pods",
         .type = SettingType::integer,
         .doc = "Maximum pods per node. Unset: computed from the instance type.",
         .min = 1,
         .max = 1000},
        switch_setting("failed_activities", "true",
                       "If true, failed launches back off the group at once. Needs the permission "
                       "autoscaling:DescribeScalingActivities.")};
}

Schema data_settings() {
    return {text_setting("instance_types_file",
                         "File of instance types, used instead of the built-in table if EC2 does "
                         "not describe them."),
            switch_setting("static_instance_types", "false",
                           "If true, instance types are not read from EC2."),
            text_setting("price_file", "File of prices. Without it, prices are unknown."),
            {.key = "event_queue_url",
             .type = SettingType::url,
             .doc = "SQS queue with EventBridge events about terminating instances. Capstan must "
                    "be its only consumer."}};
}

Schema connection_settings() {
    return {
        text_setting("region",
                     "AWS region, such as \"eu-central-1\". Unset: AWS_REGION, the profile's "
                     "region, or the instance's region."),
        {.key = "endpoint_url",
         .type = SettingType::url,
         .doc = "URL for all services, instead of AWS's endpoints."},
        {.key = "endpoints",
         .type = SettingType::url,
         .doc = "URLs of single services, by name: autoscaling, ec2, eks, sts, iam, sqs.",
         .default_value = "{}",
         .map = true},
        switch_setting("fips", "false", "If true, AWS's FIPS endpoints are used."),
        switch_setting("dual_stack", "false", "If true, dual-stack (IPv6) endpoints are used."),
        {.key = "timeout",
         .type = SettingType::duration,
         .doc = "Timeout of one attempt of an API call.",
         .default_value = "\"7s\"",
         .min = std::chrono::seconds(1),
         .max = std::chrono::minutes(1)},
        whole_setting("parallel_calls", "8", 1, 64, "Maximum concurrent API calls of one kind."),
        {.key = "credentials",
         .type = SettingType::table,
         .doc = "Source of credentials. Unset: the environment, web identity, shared files, "
                "container credentials and instance metadata are tried in this order.",
         .fields = credentials_schema()}};
}

std::string text_or_empty(const Settings& settings, std::string_view key) {
    return settings.has(key) ? settings.text(key) : std::string();
}

Labels read_labels(const Settings& settings, std::string_view key) {
    Labels out;
    for (auto& [name, value] : settings.text_map(key)) out.insert_or_assign(name, value);
    return out;
}

std::optional<ProvisioningSettings> read_provisioning(const Settings& settings) {
    const std::string source = text_or_empty(settings, "launch_template");
    if (source.empty()) return std::nullopt;
    ProvisioningSettings out;
    (source.starts_with("lt-") ? out.launch_template.id : out.launch_template.name) = source;
    out.launch_template.version = settings.text("launch_template_version");
    out.subnet_tags = read_labels(settings, "subnet_tags");
    out.instance_types = settings.texts("instance_types");
    out.max_size = static_cast<int>(settings.integer("max_size"));
    out.tags = read_labels(settings, "tags");
    return out;
}

CredentialsConfig read_credentials(const Settings& settings) {
    const auto read = [&](std::string_view key) { return text_or_empty(settings, key); };
    return {.profile = read("profile"),
            .access_key_id = read("access_key_id"),
            .secret_access_key = read("secret_access_key"),
            .session_token = read("session_token"),
            .role_arn = read("role_arn"),
            .external_id = read("external_id"),
            .session_name = read("session_name"),
            .imds_endpoint = read("imds_endpoint")};
}

EndpointConfig read_endpoints(const Settings& settings) {
    EndpointConfig out{.fips = settings.boolean("fips"),
                       .dual_stack = settings.boolean("dual_stack")};
    if (settings.has("endpoint_url")) out.overrides[""] = settings.text("endpoint_url");
    for (auto& [service, url] : settings.text_map("endpoints")) out.overrides[service] = url;
    return out;
}

TemplateConfig read_templates(const Settings& settings) {
    TemplateConfig out{.region = text_or_empty(settings, "region"),
                       .mixed = settings.text("mixed_template") == "first" ? MixedTemplate::first
                                                                           : MixedTemplate::minimum,
                       .prefix_delegation = settings.boolean("prefix_delegation")};
    if (settings.has("max_pods")) out.max_pods = static_cast<int>(settings.integer("max_pods"));
    return out;
}

void check_groups(const Settings& settings) {
    const std::vector<std::string> discovery = settings.texts("discovery");
    for (std::size_t i = 0; i < discovery.size(); ++i) {
        if (const auto tags = parse_tag_expression(discovery[i]); !tags)
            settings.reject("discovery", i, tags.error().message);
    }
    const std::vector<std::string> groups = settings.texts("groups");
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (const auto group = parse_static_group(groups[i]); !group)
            settings.reject("groups", i, group.error().message);
    }
}

void check_provisioning(const Settings& settings) {
    const Settings table = settings.table("provisioning");
    const bool is_on = table.has("launch_template");
    const bool has_cluster = !text_or_empty(settings, "cluster").empty();
    if (is_on && !has_cluster)
        settings.reject("provisioning", "needs `cluster`: created groups are tagged with it");
    if (settings.has("provisioning") && !is_on && !table.text_map("subnet_tags").empty())
        settings.reject("provisioning", "needs launch_template, from which instances are created");
    if (is_on && table.text_map("subnet_tags").empty())
        settings.reject("provisioning",
                        "needs subnet_tags, which select the subnets of new instances");
    const bool has_groups =
        !settings.texts("discovery").empty() || !settings.texts("groups").empty();
    if (!has_groups && !is_on)
        settings.reject("",
                        "no groups configured: set `discovery` (by tags) or `groups` (by name)");
}

void check_endpoints(const Settings& settings) {
    const auto urls = settings.text_map("endpoints");
    for (std::size_t i = 0; i < urls.size(); ++i) {
        const auto is_named = [&](Service service) { return name_of(service) == urls[i].first; };
        if (std::none_of(std::begin(all_services), std::end(all_services), is_named))
            settings.reject("endpoints", i,
                            "unknown service " + in_quotes(urls[i].first) +
                                "; expected one of autoscaling, ec2, eks, sts, iam, sqs");
    }
}

void check_credentials(const Settings& settings) {
    const Settings table = settings.table("credentials");
    const bool has_id = !text_or_empty(table, "access_key_id").empty();
    if (has_id != table.has("secret_access_key"))
        settings.reject("credentials", "access_key_id and secret_access_key must be set together");
    if (table.has("session_token") && !has_id)
        settings.reject("credentials", "session_token needs access_key_id");
    if (has_id && table.has("profile"))
        settings.reject("credentials", "access_key_id and profile cannot both be set");
}

}  // namespace

Schema aws_schema() {
    Schema out;
    for (Schema part : {group_settings(), data_settings(), connection_settings()})
        out.insert(out.end(), part.begin(), part.end());
    out.push_back(
        {.key = "provisioning",
         .type = SettingType::table,
         .doc = "Node auto-provisioning: creates groups for pods that fit no existing group.",
         .fields = provisioning_schema()});
    return out;
}

AwsConfig read_aws_config(const Settings& settings) {
    AwsConfig out{.region = text_or_empty(settings, "region"),
                  .cluster = text_or_empty(settings, "cluster"),
                  .refresh_every = settings.duration("refresh_every"),
                  .templates = read_templates(settings),
                  .instance_types_file = text_or_empty(settings, "instance_types_file"),
                  .price_file = text_or_empty(settings, "price_file"),
                  .static_instance_types = settings.boolean("static_instance_types"),
                  .endpoints = read_endpoints(settings),
                  .timeout = settings.duration("timeout"),
                  .parallel_calls = static_cast<std::size_t>(settings.integer("parallel_calls")),
                  .credentials = read_credentials(settings.table("credentials")),
                  .event_queue_url = text_or_empty(settings, "event_queue_url"),
                  .provisioning = read_provisioning(settings.table("provisioning")),
                  .failed_activities = settings.boolean("failed_activities")};
    for (const std::string& text : settings.texts("discovery"))
        if (auto tags = parse_tag_expression(text)) out.discovery.push_back(*std::move(tags));
    for (const std::string& text : settings.texts("groups"))
        if (auto group = parse_static_group(text)) out.groups.push_back(*std::move(group));
    return out;
}

void check_aws_config(const Settings& settings) {
    check_groups(settings);
    check_provisioning(settings);
    check_endpoints(settings);
    check_credentials(settings);
}

}  // namespace capstan::aws
