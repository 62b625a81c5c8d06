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
    return {text_setting("profile", "The profile of the shared files, in place of AWS_PROFILE."),
            text_setting("role_arn", "A role to assume with what was found otherwise."),
            text_setting("external_id", "What the role's trust policy asks for."),
            text_setting("session_name", "What the role's sessions are called."),
            text_setting("access_key_id", "Long-lived keys, where there is nothing better."),
            secret_setting("secret_access_key", "The key that belongs to access_key_id."),
            secret_setting("session_token", "The token, where these keys are temporary."),
            {.key = "imds_endpoint",
             .type = SettingType::url,
             .doc = "The instance metadata service, where it is not at its usual place."}};
}

Schema provisioning_schema() {
    return {
        text_setting("launch_template",
                     "The name or id of the launch template whose image, network and role new "
                     "machines have. With it groups are made where none fits."),
        {.key = "launch_template_version",
         .type = SettingType::string,
         .doc = "A number, \"$Latest\" or \"$Default\".",
         .default_value = "\"$Default\""},
        text_map_setting("subnet_tags",
                         "The tags of the subnets in which machines are made, by key; a zone is "
                         "one that has such a subnet."),
        texts_setting("instance_types",
                      "The types to make groups of, such as \"m6i.*\"; none: all that suit."),
        whole_setting("max_size", "1000", 1, 10'000, "The maximum of a group that is made."),
        text_map_setting("tags", "More tags of such groups and their machines, by key.")};
}

Schema group_settings() {
    return {
        texts_setting("discovery",
                      "Groups by their tags: \"k\", \"k=v\" or \"k=v,k2\" for all of several. "
                      "More than one are alternatives."),
        texts_setting("groups",
                      "Groups by name, as min:max:name. They are listed whether or not they "
                      "exist, and these limits count before the group's own."),
        text_setting("cluster", "The cluster's name, as groups that are made here carry it."),
        {.key = "refresh_every",
         .type = SettingType::duration,
         .doc = "How often all groups are listed, and $Latest and $Default of their launch "
                "templates are looked up. Groups whose size changes are read in each pass.",
         .default_value = "\"1m\"",
         .min = std::chrono::seconds(0),
         .max = std::chrono::hours(1)},
        {.key = "mixed_template",
         .type = SettingType::enumeration,
         .doc = "What a node of several instance types counts as: the least of each resource, or "
                "the first type.",
         .default_value = "\"minimum\"",
         .allowed = {"minimum", "first"}},
        switch_setting("prefix_delegation", "false",
                       "Whether the VPC CNI gives pods prefixes, which allows more of them."),
        {.key = "max_pods",
         .type = SettingType::integer,
         .doc = "How many pods a node takes, in place of what is computed.",
         .min = 1,
         .max = 1000},
        switch_setting("failed_activities", "true",
                       "Whether launches that failed after a request back a group off at once. "
                       "It takes the right to DescribeScalingActivities.")};
}

Schema data_settings() {
    return {text_setting("instance_types_file",
                         "A file of instance types for where EC2 does not tell, in place of the "
                         "table that is built in."),
            switch_setting("static_instance_types", "false",
                           "Whether EC2 is not asked for instance types."),
            text_setting("price_file", "A file of prices. Without one no price is known."),
            {.key = "event_queue_url",
             .type = SettingType::url,
             .doc = "An SQS queue of its own with EventBridge's notices of instances that leave."}};
}

Schema connection_settings() {
    return {text_setting("region",
                         "Such as \"eu-central-1\"; else AWS_REGION, the profile's or "
                         "the instance's own."),
            {.key = "endpoint_url",
             .type = SettingType::url,
             .doc = "Where all services are, in place of AWS's endpoints."},
            {.key = "endpoints",
             .type = SettingType::url,
             .doc = "Where single services are, by name: autoscaling, ec2, eks, sts, iam, sqs.",
             .default_value = "{}",
             .map = true},
            switch_setting("fips", "false", "Whether AWS's FIPS endpoints are used."),
            switch_setting("dual_stack", "false", "Whether endpoints that have IPv6 are used."),
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
             .doc = "Where credentials come from. Without it: the environment, a web identity, "
                    "the shared files, the container's service and the instance's metadata.",
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
        settings.reject("provisioning", "needs `cluster`: groups that are made carry its name");
    if (settings.has("provisioning") && !is_on && !table.text_map("subnet_tags").empty())
        settings.reject("provisioning", "names no launch_template to make machines from");
    if (is_on && table.text_map("subnet_tags").empty())
        settings.reject("provisioning", "names no subnet_tags, so no subnet to make machines in");
    const bool has_groups =
        !settings.texts("discovery").empty() || !settings.texts("groups").empty();
    if (!has_groups && !is_on)
        settings.reject("", "names no groups: by tags in `discovery`, or by name in `groups`");
}

void check_endpoints(const Settings& settings) {
    const auto urls = settings.text_map("endpoints");
    for (std::size_t i = 0; i < urls.size(); ++i) {
        const auto is_named = [&](Service service) { return name_of(service) == urls[i].first; };
        if (std::none_of(std::begin(all_services), std::end(all_services), is_named))
            settings.reject("endpoints", i,
                            "is for " + in_quotes(urls[i].first) +
                                ", and services are autoscaling, ec2, eks, sts, iam and sqs");
    }
}

void check_credentials(const Settings& settings) {
    const Settings table = settings.table("credentials");
    const bool has_id = !text_or_empty(table, "access_key_id").empty();
    if (has_id != table.has("secret_access_key"))
        settings.reject("credentials", "access_key_id and secret_access_key come together");
    if (table.has("session_token") && !has_id)
        settings.reject("credentials", "has a session_token without an access_key_id");
    if (has_id && table.has("profile"))
        settings.reject("credentials", "has both an access_key_id and a profile");
}

}  // namespace

Schema aws_schema() {
    Schema out;
    for (Schema part : {group_settings(), data_settings(), connection_settings()})
        out.insert(out.end(), part.begin(), part.end());
    out.push_back({.key = "provisioning",
                   .type = SettingType::table,
                   .doc = "Node auto-provisioning: groups that are made where none fits.",
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
