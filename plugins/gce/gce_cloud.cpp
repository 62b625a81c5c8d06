#include "gce_cloud.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <capstan/cluster_checks.hpp>
#include <capstan/sentence.hpp>

#include "api/instance_template.hpp"
#include "api/machine_types.hpp"
#include "api/managed_groups.hpp"
#include "credentials/token_chain.hpp"
#include "groups/data_files.hpp"
#include "groups/group_changes.hpp"
#include "groups/group_lists.hpp"
#include "groups/machine_lists.hpp"
#include "groups/template_reader.hpp"
#include "groups/view_maker.hpp"
#include "provisioning/group_maker.hpp"
#include "provisioning/permissions.hpp"
#include "wire/gce_client.hpp"
#include "wire/locations.hpp"
#include "wire/resource_ids.hpp"

namespace capstan::gce {
namespace {

Error lacks_provisioning() {
    return {ErrorCode::unsupported, "node auto-provisioning is not configured (provisioning)"};
}

GroupChoice choice_of(const GceConfig& config) {
    ChoiceConfig out{.project = config.project,
                     .discovery = config.discovery,
                     .groups = config.groups,
                     .locations = config.locations};
    if (config.provisioning) {
        out.cluster = config.cluster;
        out.made_max = config.provisioning->max_size;
    }
    return GroupChoice(std::move(out));
}

MakingConfig making_config_of(const GceConfig& config, const ProvisioningSettings& settings) {
    return {.project = config.project,
            .cluster = config.cluster,
            .instance_template = settings.instance_template,
            .zones = settings.zones,
            .machine_types = settings.machine_types,
            .max_size = settings.max_size,
            .labels = settings.labels,
            .templates = config.templates};
}

std::string region_of_place(const Place& place) {
    return place.scope == Scope::zone ? region_of_zone(place.name) : place.name;
}

/// Whether the plugin needs a project of its own. The links of configured groups contain their
/// projects, so configured groups alone need none.
bool needs_project(const GceConfig& config) {
    return !config.discovery.empty() || config.provisioning || config.groups.empty();
}

}  // namespace

/// All parts that need the project and credentials, in the order of their dependencies.
struct GceCloud::Project {
    Project(const Host& host_, GceConfig config_, const ClientConfig& client_config,
            Environment& environment)
        : host(host_),
          config(std::move(config_)),
          tokens(host, config.credentials, environment),
          client(host, client_config, tokens),
          lists(host, group_api, choice_of(config), config.parallel_calls),
          machines(
              host, group_api, lists,
              {.refresh_every = config.refresh_every, .parallel_calls = config.parallel_calls}),
          templates(host, {template_api, lookup}, config.templates, config.parallel_calls),
          changes(host, {client, group_api, lists, machines, templates, operations, failed}),
          prices(host, config.price_file),
          views(host, lists, templates) {
        if (config.provisioning)
            maker.emplace(host, GroupMaker::Parts{client, operations, failed},
                          making_config_of(config, *config.provisioning));
    }

    std::vector<const ListedGroup*> known_groups() const;
    /// Finds out by instance templates which groups auto-provisioning has made.
    Task<void> find_made();
    /// Gets one of the known groups. Fails only if Google throttles.
    Task<void> probe();
    Task<void> check();
    Task<std::vector<CheckedGroup>> checked_groups();
    void compare_prices();
    /// Returns the last view if nothing has changed since.
    SharedCloudView make_view();

    const Host host;
    const GceConfig config;
    TokenChain tokens;
    GceClient client;
    ManagedGroupsApi group_api{host, client};
    InstanceTemplatesApi template_api{host, client};
    LookupApi lookup{client};
    GroupLists lists;
    MachineLists machines;
    TemplateReader templates;
    OpenOperations operations{host, client};
    FailedChanges failed{host};
    GroupChanges changes;
    PriceFile prices;
    std::optional<GroupMaker> maker{};
    ViewMaker views;
    std::optional<SharedCloudView> view{};
    std::uint64_t viewed_version = 0;
};

std::vector<const ListedGroup*> GceCloud::Project::known_groups() const {
    std::vector<const ListedGroup*> out;
    for (const auto& [id, listed] : lists.groups())
        if (listed.was_read) out.push_back(&listed);
    return out;
}

Task<void> GceCloud::Project::probe() {
    const std::vector<const ListedGroup*> groups = known_groups();
    if (groups.empty()) co_return;
    const Result<void> probed = co_await as_result(group_api.probe(groups.front()->row.link));
    if (!probed && probed.error().code == ErrorCode::throttled) throw Failure(probed.error());
}

Task<void> GceCloud::Project::find_made() {
    if (!maker) co_return;
    const std::vector<std::string> ids = lists.find_candidates();
    std::vector<std::string> links;
    for (const std::string& id : ids) links.push_back(lists.groups().at(id).row.template_link);
    co_await templates.read_templates(std::move(links));
    for (const std::string& id : ids) {
        const auto at = lists.groups().find(id);
        if (at == lists.groups().end()) continue;
        const std::string& link = at->second.row.template_link;
        if (const InstanceTemplate* const known = templates.find_template(link))
            lists.set_made(id, maker->is_made_here(*known));
    }
}

void GceCloud::Project::compare_prices() {
    std::set<std::string> regions;
    for (const auto& [id, listed] : lists.groups())
        if (listed.was_read && listed.takes_part())
            regions.insert(region_of_place(listed.row.link.place));
    prices.compare(regions);
}

SharedCloudView GceCloud::Project::make_view() {
    failed.update();
    const std::uint64_t version = lists.version() + templates.version() + prices.version() +
                                  failed.version() + changes.version();
    if (view && version == viewed_version) return *view;
    compare_prices();
    CloudView now = views.make(prices.prices().get());
    now.target_lag = list_lag_max;
    changes.show_in(now);
    failed.show_in(now);
    viewed_version = version;
    return view.emplace(std::move(now));
}

Task<void> GceCloud::Project::check() {
    // Permissions are checked even if groups cannot be listed, so that all refusals are reported.
    const Result<void> listed = co_await as_result(lists.update());
    PermissionQuestion question{.provisioning = config.provisioning.has_value()};
    question.projects = lists.choice().projects();
    const auto own = std::find(question.projects.begin(), question.projects.end(), config.project);
    if (own != question.projects.end()) std::rotate(question.projects.begin(), own, own + 1);
    co_await require_permissions(host, lookup, std::move(question));
    if (!listed) throw Failure(listed.error());
    for (const auto& [id, group] : lists.groups())
        if (group.unreadable) host.warn("group " + id + ": " + group.unreadable->message);
    std::vector<CheckedGroup> groups = co_await checked_groups();
    const std::vector<std::string> found = co_await check_cluster(host, std::move(groups));
    for (const std::string& sentence : found) host.warn(sentence);
}

Task<std::vector<CheckedGroup>> GceCloud::Project::checked_groups() {
    std::ignore = co_await as_result(machines.update());
    std::vector<std::string> ids;
    for (const auto& [id, group] : lists.groups())
        if (group.was_read && group.takes_part()) ids.push_back(id);
    std::vector<CheckedGroup> out;
    for (const std::string& id : ids) {
        const ListedGroup* const group = lists.find(id);
        if (group == nullptr) continue;
        CheckedGroup checked{.name = id};
        for (const GroupMachine& machine : group->list.machines)
            checked.provider_ids.push_back(machine_id_of(machine.link));
        auto node = co_await as_result(templates.describe(group->row));
        if (!node) continue;
        checked.node = *std::move(node);
        out.push_back(std::move(checked));
    }
    co_return std::move(out);
}

GceCloud::GceCloud(Host host, GceConfig config)
    : host_(host),
      config_(std::move(config)),
      environment_(host, variable_names()),
      reading_(host) {
    warn_of_locations("settings.locations", config_.locations);
    if (config_.provisioning)
        warn_of_locations("settings.provisioning.zones", config_.provisioning->zones);
}

GceCloud::~GceCloud() = default;

void GceCloud::warn_of_locations(std::string_view key,
                                 const std::vector<std::string>& locations) const {
    // A server of another URL may have locations of its own.
    if (config_.endpoints.overrides.contains("")) return;
    for (const std::string& location : locations)
        if (const std::string doubt = describe_unknown_location(location); !doubt.empty())
            host_.warn(std::string(key) + ": " + doubt);
}

Task<std::unique_ptr<GceCloud::Project>> GceCloud::open() {
    GceConfig config = config_;
    config.endpoints =
        co_await find_endpoints(host_, config.endpoints, config.credentials, environment_);
    config.credentials.endpoints = config.endpoints;
    if (needs_project(config))
        config.project =
            co_await find_project(host_, config.project, config.credentials, environment_);
    ClientConfig client{.endpoints = config.endpoints, .timeout = config.timeout};
    auto out = std::make_unique<Project>(host_, std::move(config), client, environment_);
    const AccessToken token = co_await out->tokens.get();
    host_.info("using Google Cloud credentials of " + token.source);
    co_return std::move(out);
}

Task<void> GceCloud::start() {
    project_ = co_await open();
    co_await project_->prices.read();
    warn_of_duplicates();
}

GceCloud::Project& GceCloud::project() const {
    if (!project_) throw Failure(ErrorCode::unavailable, "not refreshed yet");
    return *project_;
}

/// Warns of groups that have several entries in the settings: the first entry counts.
void GceCloud::warn_of_duplicates() const {
    std::set<std::string> ids;
    for (const StaticGroup& group : config_.groups) {
        const std::string id = group_id_of(group.link);
        if (!ids.insert(id).second)
            host_.warn("the configuration lists group " + in_quotes(id) +
                       " more than once; the first entry is used");
    }
}

Task<void> GceCloud::self_check() {
    std::unique_ptr<Project> own;
    if (!project_) own = co_await open();
    co_await (own ? *own : project()).check();
}

Task<MachineTypes> GceCloud::machine_types() {
    Project& gce = project();
    if (!gce.maker) co_return MachineTypes();
    gce.maker->use(gce.prices.prices());
    co_return co_await gce.maker->machine_types();
}

Result<PlannedGroup> GceCloud::new_group(const Call&, const GroupPlan& plan) const {
    const Project& gce = project();
    if (!gce.maker) return fail(lacks_provisioning());
    return gce.maker->new_group(plan);
}

Task<void> GceCloud::create(GroupPlan plan) {
    Project& gce = project();
    if (!gce.maker) throw Failure(lacks_provisioning());
    const auto planned = gce.maker->new_group(plan);
    co_await gce.maker->create(std::move(plan));
    // The host scales the group up before groups are listed again, so the group is read now. If
    // Google does not show it yet, the scale-up fails and is retried.
    if (planned) std::ignore = co_await as_result(gce.lists.read_made(planned->group.id.value()));
}

Task<void> GceCloud::destroy(NodeGroupId group) {
    Project& gce = project();
    if (!gce.maker) throw Failure(lacks_provisioning());
    const std::string id = group.value();
    co_await gce.maker->destroy(std::move(group));
    gce.lists.forget(id);
}

/// Overlapping refreshes share one read. An abandoned refresh is read to its end.
Task<SharedCloudView> GceCloud::refresh(RefreshRequest request) {
    return reading_.join(read(request.probe));
}

Task<SharedCloudView> GceCloud::read(bool probe) {
    Project& gce = project();
    if (probe) co_await gce.probe();
    co_await gce.lists.update();
    gce.changes.observe();
    co_await gce.find_made();
    co_await gce.machines.update();
    gce.templates.follow(gce.known_groups());
    co_await gce.templates.renew(gce.known_groups());
    co_await gce.prices.renew();
    co_return gce.make_view();
}

Task<Resized> GceCloud::increase(Resize request) {
    return project().changes.increase(std::move(request));
}

Task<Resized> GceCloud::decrease_target(Resize request) {
    return project().changes.decrease_target(std::move(request));
}

Task<Removed> GceCloud::remove(Removal request) {
    return project().changes.remove(std::move(request));
}

Task<NodeTemplate> GceCloud::describe(const NodeGroupId& group) {
    const ListedGroup* const listed = project().lists.find(group.value());
    if (listed == nullptr || !listed->was_read)
        return fail_task<NodeTemplate>({ErrorCode::not_found, "group " + in_quotes(group.value()) +
                                                                  ": not among the listed groups"});
    return project().templates.describe(listed->row);
}

}  // namespace capstan::gce
