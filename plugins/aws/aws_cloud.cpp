#include "aws_cloud.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <capstan/cluster_checks.hpp>
#include <capstan/sentence.hpp>

#include "api/auto_scaling.hpp"
#include "api/ec2.hpp"
#include "api/eks.hpp"
#include "api/queue.hpp"
#include "credentials/client_settings.hpp"
#include "credentials/credentials_chain.hpp"
#include "groups/data_files.hpp"
#include "groups/failed_activities.hpp"
#include "groups/group_changes.hpp"
#include "groups/group_checks.hpp"
#include "groups/group_limits.hpp"
#include "groups/group_lists.hpp"
#include "groups/instance_addresses.hpp"
#include "groups/machine_names.hpp"
#include "groups/template_reader.hpp"
#include "groups/type_source.hpp"
#include "groups/view_maker.hpp"
#include "provisioning/group_maker.hpp"
#include "provisioning/permissions.hpp"
#include "wire/aws_client.hpp"
#include "wire/regions.hpp"

namespace capstan::aws {
namespace {

/// Groups that Capstan makes have the tags of the first discovery expression. Without a discovery
/// they are found by Capstan's own tag.
std::vector<std::vector<TagFilter>> discovery_of(const AwsConfig& config) {
    if (!config.discovery.empty() || !config.provisioning) return config.discovery;
    return {discovery_of_made_groups(config.cluster)};
}

MakingConfig making_config_of(const AwsConfig& config, const ProvisioningSettings& settings) {
    MakingConfig out{.cluster = config.cluster,
                     .launch_template = settings.launch_template,
                     .subnet_tags = settings.subnet_tags,
                     .instance_types = settings.instance_types,
                     .max_size = settings.max_size,
                     .tags = settings.tags,
                     .templates = config.templates};
    if (!config.discovery.empty()) out.discovery = config.discovery.front();
    return out;
}

Error no_provisioning() {
    return {ErrorCode::unsupported, "node auto-provisioning is not configured (provisioning)"};
}

ListConfig list_config_of(const AwsConfig& config, const StaticLimits& limits) {
    return {.discovery = discovery_of(config),
            .names = limits.names(),
            .refresh_every = config.refresh_every,
            .parallel_calls = config.parallel_calls};
}

/// A host that acts mostly refreshes its clouds more often.
constexpr Duration notices_attention = std::chrono::seconds(90);

NoticeQueueConfig queue_config_of(const AwsConfig& config) {
    // SQS answers an empty wait only at its end, so the wait is shorter than the client's timeout.
    const auto wait_max = std::chrono::floor<std::chrono::seconds>(config.timeout * 2 / 3);
    return {.url = config.event_queue_url,
            .wait = std::clamp(wait_max, std::chrono::seconds(0), std::chrono::seconds(20)),
            .follow_time = notices_attention};
}

}  // namespace

/// All parts that need the region and credentials, in the order of their dependencies.
struct AwsCloud::Account {
    Account(const Host& host_, AwsConfig config_, CredentialsConfig credentials_,
            const ClientConfig& client_config, Environment& environment)
        : host(host_),
          config(std::move(config_)),
          credentials(host, std::move(credentials_), environment),
          client(host, client_config, credentials),
          limits(config.groups),
          lists(host, auto_scaling, list_config_of(config, limits)),
          activities(
              host, auto_scaling,
              {.refresh_every = config.refresh_every, .parallel_calls = config.parallel_calls},
              [this] { return aws_now(); }),
          addresses(host, ec2),
          types(host, ec2, !config.static_instance_types),
          templates(host, {auto_scaling, ec2, eks}, types, config.templates, config.refresh_every,
                    config.parallel_calls),
          changes(host, {auto_scaling, lists, activities, limits, [this] { return aws_now(); }},
                  config.parallel_calls),
          files(host, {.types_file = config.instance_types_file,
                       .price_file = config.price_file,
                       .region = config.templates.region}),
          views(host, {.lists = lists,
                       .limits = limits,
                       .templates = templates,
                       .failures = config.failed_activities ? &activities : nullptr,
                       .cluster = config.cluster,
                       .find_notice = [this](std::string_view id) { return find_notice(id); },
                       .addresses = addresses}) {
        if (!config.event_queue_url.empty()) queue.emplace(host, client, queue_config_of(config));
        if (config.provisioning)
            maker.emplace(host, auto_scaling, ec2, making_config_of(config, *config.provisioning));
    }

    /// The time by AWS's clock.
    Time aws_now() const { return host.now() + client.clock_skew(); }
    std::vector<const AutoScalingGroup*> known_groups() const;
    std::vector<FailedActivities::Size> sizes() const;
    RightsQuestion rights() const;
    /// The groups that have a known template.
    Task<std::vector<CheckedGroup>> checked_groups();
    Task<void> check();
    /// Passes types and prices to the maker.
    Task<void> give_types_to(GroupMaker& to);
    /// Describes one of the known groups. Fails only if AWS throttles.
    Task<void> probe();
    void follow_notices();
    std::optional<Leaving> find_notice(std::string_view instance_id) const;
    /// Returns the last view if nothing was read since.
    SharedCloudView make_view();

    const Host host;
    const AwsConfig config;
    CredentialsChain credentials;
    AwsClient client;
    AutoScalingApi auto_scaling{client};
    Ec2Api ec2{client};
    EksApi eks{client};
    const StaticLimits limits;
    GroupLists lists;
    FailedActivities activities;
    InstanceAddresses addresses;
    TypeSource types;
    TemplateReader templates;
    GroupChanges changes;
    DataFiles files;
    std::optional<NoticeQueue> queue{};
    std::optional<GroupMaker> maker{};
    ViewMaker views;
    std::optional<SharedCloudView> view{};
    std::uint64_t viewed_version = 0;
};

std::vector<const AutoScalingGroup*> AwsCloud::Account::known_groups() const {
    std::vector<const AutoScalingGroup*> out;
    for (const auto& [name, listed] : lists.groups())
        if (listed.was_read) out.push_back(&listed.group);
    return out;
}

std::vector<FailedActivities::Size> AwsCloud::Account::sizes() const {
    std::vector<FailedActivities::Size> out;
    for (const auto& [name, listed] : lists.groups()) {
        if (!listed.was_read || find_obstacle(listed.group)) continue;
        out.push_back({.group = name,
                       .members = listed.counts.members,
                       .desired = listed.group.desired,
                       .has_zones = listed.group.zones.size() > 1});
    }
    return out;
}

Task<void> AwsCloud::Account::probe() {
    const std::vector<const AutoScalingGroup*> groups = known_groups();
    if (groups.empty()) co_return;
    const Result<void> probed = co_await as_result(auto_scaling.probe(groups.front()->name));
    if (!probed && probed.error().code == ErrorCode::throttled) throw Failure(probed.error());
}

void AwsCloud::Account::follow_notices() {
    if (!queue) return;
    std::set<std::string, std::less<>> ids;
    for (const AutoScalingGroup* const group : known_groups())
        for (const AsgInstance& instance : group->instances) ids.insert(instance.id);
    queue->follow(std::move(ids));
}

std::optional<Leaving> AwsCloud::Account::find_notice(std::string_view instance_id) const {
    return queue ? queue->find(instance_id) : std::nullopt;
}

SharedCloudView AwsCloud::Account::make_view() {
    const std::uint64_t version = lists.version() + activities.version() + addresses.version() +
                                  templates.version() + files.version();
    if (!view || version != viewed_version || queue) {
        view.emplace(views.make(files.prices().get()));
        viewed_version = version;
    }
    return *view;
}

AwsCloud::AwsCloud(Host host, AwsConfig config)
    : host_(host),
      config_(std::move(config)),
      environment_(host, variable_names()),
      reading_(host) {
    // A server of another URL may have regions of its own.
    const bool is_aws = !config_.endpoints.overrides.contains("");
    if (!is_aws || config_.region.empty()) return;
    if (const std::string doubt = describe_unknown_region(config_.region); !doubt.empty())
        host_.warn("settings.region: " + doubt);
}

AwsCloud::~AwsCloud() = default;

Task<std::unique_ptr<AwsCloud::Account>> AwsCloud::open() {
    AwsConfig config = config_;
    CredentialsConfig credentials = config.credentials;
    config.region = co_await find_region(host_, config.region, credentials, environment_);
    config.templates.region = config.region;
    config.endpoints = co_await find_endpoints(config.endpoints, environment_);
    credentials.region = config.region;
    credentials.endpoints = config.endpoints;
    ClientConfig client{
        .region = config.region, .endpoints = config.endpoints, .timeout = config.timeout};
    if (const auto attempts = co_await find_attempts(environment_))
        client.retry.attempts = *attempts;
    auto out = std::make_unique<Account>(host_, std::move(config), std::move(credentials), client,
                                         environment_);
    const Credentials found = co_await out->credentials.get();
    host_.info("using AWS credentials of " + found.source);
    co_return std::move(out);
}

Task<void> AwsCloud::start() {
    account_ = co_await open();
    if (auto table = co_await account_->files.read_types())
        account_->types.use_table(*std::move(table));
    co_await account_->files.read_prices();
    warn_of_duplicates();
    if (auto& queue = account_->queue; queue) queue->start();
}

AwsCloud::Account& AwsCloud::account() const {
    if (!account_) throw Failure(ErrorCode::unavailable, "not refreshed yet");
    return *account_;
}

/// Warns of groups that have several entries in the settings: the first entry counts.
void AwsCloud::warn_of_duplicates() const {
    std::set<std::string> names;
    for (const StaticGroup& group : config_.groups) {
        if (!names.insert(group.name).second)
            host_.warn("the configuration lists group " + in_quotes(group.name) +
                       " more than once; the first entry is used");
    }
}

RightsQuestion AwsCloud::Account::rights() const {
    RightsQuestion out{.region = config.region,
                       .failed_activities = config.failed_activities,
                       .provisioning = config.provisioning.has_value(),
                       .cluster = config.cluster,
                       .event_queue_url = config.event_queue_url};
    for (const AutoScalingGroup* const group : known_groups()) out.groups.push_back(*group);
    return out;
}

Task<std::vector<CheckedGroup>> AwsCloud::Account::checked_groups() {
    std::vector<AutoScalingGroup> known;
    for (const AutoScalingGroup* const group : known_groups()) known.push_back(*group);
    std::vector<CheckedGroup> out;
    for (const AutoScalingGroup& group : known) {
        auto node = co_await as_result(templates.describe(group));
        if (!node) continue;
        CheckedGroup checked{.name = group.name, .node = *std::move(node)};
        for (const AsgInstance& instance : group.instances)
            checked.provider_ids.push_back(machine_id_of(instance.zone, instance.id));
        out.push_back(std::move(checked));
    }
    co_return out;
}

Task<void> AwsCloud::Account::give_types_to(GroupMaker& to) {
    std::shared_ptr<const TypeTable> all = co_await types.get_all();
    to.use(std::move(all), files.prices());
}

Task<void> AwsCloud::Account::check() {
    // Permissions are checked even if groups cannot be listed, so that all refusals are reported.
    const Result<void> listed = co_await as_result(lists.update());
    RightsQuestion question = rights();
    co_await require_rights(host, client, std::move(question));
    if (!listed) throw Failure(listed.error());
    const std::string recommended = recommend_protection(known_groups());
    if (!recommended.empty()) host.warn(recommended);
    if (!recommended.empty() && host.service<capstan_state>(CAPSTAN_SERVICE_STATE) == nullptr)
        host.warn(
            "grants.state = true is recommended: instances are then protected from scale-in while "
            "a failed request is cancelled");
    std::vector<CheckedGroup> groups = co_await checked_groups();
    const std::vector<std::string> found = co_await check_cluster(host, std::move(groups));
    for (const std::string& sentence : found) host.warn(sentence);
}

Task<void> AwsCloud::self_check() {
    std::unique_ptr<Account> own;
    if (!account_) own = co_await open();
    co_await (own ? *own : account()).check();
}

Task<MachineTypes> AwsCloud::machine_types() {
    Account& aws = account();
    if (!aws.maker) co_return MachineTypes();
    co_await aws.give_types_to(*aws.maker);
    co_return co_await aws.maker->machine_types();
}

Result<PlannedGroup> AwsCloud::new_group(const Call&, const GroupPlan& plan) const {
    const Account& aws = account();
    if (!aws.maker) return fail(no_provisioning());
    return aws.maker->new_group(plan);
}

Task<void> AwsCloud::create(GroupPlan plan) {
    Account& aws = account();
    if (!aws.maker) throw Failure(no_provisioning());
    co_await aws.give_types_to(*aws.maker);
    const auto planned = aws.maker->new_group(plan);
    co_await aws.maker->create(std::move(plan));
    aws.lists.expire();
    // The host scales the group up before groups are listed again, so the group is read now. If AWS
    // does not show it yet, the scale-up fails and is retried.
    if (planned) std::ignore = co_await as_result(aws.lists.read(planned->group.id.value()));
}

Task<void> AwsCloud::destroy(NodeGroupId group) {
    Account& aws = account();
    if (!aws.maker) throw Failure(no_provisioning());
    co_await aws.maker->destroy(std::move(group));
    aws.lists.expire();
}

/// Overlapping refreshes share one read. An abandoned refresh is read to its end.
Task<SharedCloudView> AwsCloud::refresh(RefreshRequest request) {
    return reading_.join(read(request.probe));
}

Task<SharedCloudView> AwsCloud::read(bool probe) {
    Account& aws = account();
    if (probe) co_await aws.probe();
    const Time asked_at = aws.changes.moment();
    co_await aws.lists.update();
    aws.changes.observe(asked_at);
    std::ignore = co_await as_result(aws.changes.end_protection());
    if (aws.config.failed_activities) co_await aws.activities.update(aws.sizes());
    aws.templates.follow(aws.known_groups());
    co_await aws.templates.renew(aws.known_groups());
    co_await aws.files.renew_prices();
    aws.follow_notices();
    aws.addresses.follow(aws.known_groups());
    co_return aws.make_view();
}

Task<Resized> AwsCloud::increase(Resize request) {
    return account().changes.increase(std::move(request));
}

Task<Resized> AwsCloud::decrease_target(Resize request) {
    return account().changes.decrease_target(std::move(request));
}

Task<Removed> AwsCloud::remove(Removal request) {
    return account().changes.remove(std::move(request));
}

Task<NodeTemplate> AwsCloud::describe(const NodeGroupId& group) {
    const ListedGroup* const listed = account().lists.find(group.value());
    if (listed == nullptr || !listed->was_read)
        return fail_task<NodeTemplate>({ErrorCode::not_found, "group " + in_quotes(group.value()) +
                                                                  ": not among the listed groups"});
    return account().templates.describe(listed->group);
}

}  // namespace capstan::aws
