#include "group_maker.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/gather.hpp>
#include <capstan/sentence.hpp>

#include "../api/operations.hpp"
#include "../wire/resource_ids.hpp"
#include "autoprovisioned_group.hpp"

namespace capstan::gce {
namespace {

constexpr Duration market_life = std::chrono::minutes(10);
constexpr std::size_t zones_at_once = 4;

/// How long an operation of making or deleting is awaited.
constexpr Duration making_patience = std::chrono::seconds(25);
/// How long Google may take to list a group if it did not answer the creation.
constexpr Duration uncertain_for = std::chrono::minutes(10);

/// By the codes of replies and of operations.
bool is_there_already(const Error& error) {
    return error.provider_code == "alreadyExists" ||
           error.provider_code == "RESOURCE_ALREADY_EXISTS" ||
           error.provider_code == "ALREADY_EXISTS";
}

bool is_gone(const Error& error) {
    return error.code == ErrorCode::not_found || error.provider_code == "RESOURCE_NOT_FOUND";
}

/// Whether Google has refused the request. After a server error, or without an answer, the request
/// may have been carried out.
bool is_refusal(const Error& error) {
    return error.code != ErrorCode::deadline && error.code != ErrorCode::unavailable &&
           error.code != ErrorCode::cancelled;
}

Failure other_has_the_name(const std::string& what, const std::string& name) {
    return Failure(ErrorCode::conflict, "another " + what + " " + in_quotes(name) +
                                            " exists that was not created for this plan");
}

/// "us-central1" of ".../regions/us-central1/subnetworks/default"; empty if there is no such link.
std::string region_of_subnetwork(const InstanceTemplate& source) {
    if (source.subnetworks.empty()) return {};
    const auto link = parse_link(source.subnetworks.front());
    return link && link->place.scope == Scope::region ? link->place.name : std::string();
}

int count_wanted(const ManagedGroup& group) {
    return group.target_size + group.target_suspended + group.target_stopped;
}

std::int64_t count_actions(const ManagedGroup& group) {
    std::int64_t out = 0;
    for (const auto& [action, count] : group.actions) out += count;
    return out;
}

}  // namespace

GroupMaker::GroupMaker(const Host& host, Parts parts, MakingConfig config)
    : host_(host),
      parts_(parts),
      groups_(host, parts.client),
      templates_(host, parts.client),
      lookup_(parts.client),
      config_(std::move(config)) {}

void GroupMaker::use(std::shared_ptr<const PriceTable> prices) {
    is_changed_ = is_changed_ || prices != prices_;
    prices_ = std::move(prices);
}

bool GroupMaker::is_made_here(const InstanceTemplate& of_group) const {
    return is_made_for(of_group.labels, config_.cluster);
}

bool GroupMaker::may_be_made_here(const ResourceLink& group) const {
    return group.project == config_.project && group.place.scope == Scope::zone &&
           is_name_for(group.name, config_.cluster);
}

// What groups can be made of.

Task<std::optional<GceImage>> GroupMaker::read_image(InstanceTemplate source) {
    const auto boot = std::ranges::find(source.disks, true, &TemplateDisk::is_boot);
    if (boot == source.disks.end() || boot->image.empty()) co_return std::nullopt;
    const std::string link = boot->image;
    auto image = co_await as_result(lookup_.image(link));
    // The market warns of a missing image.
    if (!image) co_return std::nullopt;
    co_return std::optional<GceImage>(*std::move(image));
}

Task<std::vector<std::string>> GroupMaker::find_zones(InstanceTemplate source) {
    if (!config_.zones.empty()) co_return config_.zones;
    std::string region = config_.region;
    if (region.empty() && source.link.place.scope == Scope::region) region = source.link.place.name;
    if (region.empty()) region = region_of_subnetwork(source);
    if (region.empty())
        throw Failure(ErrorCode::invalid_config, "instance template " + config_.instance_template +
                                                     " has no region; set provisioning.zones");
    const std::string project = config_.project;
    co_return co_await lookup_.zones_of(project, region);
}

Task<void> GroupMaker::read_types(std::string zone, MarketFacts& facts) {
    const std::string project = config_.project;
    std::vector<GceMachineType> types = co_await lookup_.machine_types(project, zone);
    facts.types_by_zone.insert_or_assign(zone, std::move(types));
    if (facts.source.accelerators.empty()) co_return;
    auto accelerators = co_await lookup_.accelerators(project, zone);
    facts.accelerators_by_zone.insert_or_assign(zone, std::move(accelerators));
}

Task<MarketFacts> GroupMaker::read_facts() {
    MarketFacts out;
    ResourceLink link = template_link(config_.instance_template);
    if (config_.instance_template.find('/') != std::string::npos) {
        Result<ResourceLink> parsed = parse_link(config_.instance_template);
        if (!parsed) throw Failure(std::move(parsed).error());
        link = *std::move(parsed);
    }
    out.source = co_await templates_.get(link);
    const InstanceTemplate source = out.source;
    out.image = co_await read_image(source);
    const std::vector<std::string> zones = co_await find_zones(source);
    std::vector<Task<void>> reads;
    for (const std::string& zone : zones) reads.push_back(read_types(zone, out));
    co_await gather(std::move(reads), zones_at_once);
    co_return out;
}

/// Reads the facts again. Earlier ones stay if that fails.
Task<void> GroupMaker::renew_facts() {
    Result<MarketFacts> facts = co_await as_result(read_facts());
    if (!facts && !facts_) throw Failure(within("provisioning", std::move(facts).error()));
    if (facts) {
        facts_ = *std::move(facts);
    } else {
        host_.warn("provisioning: offerings not refreshed; using the previous ones: " +
                   facts.error().message);
    }
    read_at_ = host_.monotonic();
}

Task<void> GroupMaker::read_market() {
    const bool is_old = !facts_ || host_.monotonic() - read_at_ >= market_life;
    if (is_old) co_await renew_facts();
    if (!is_old && !is_changed_) co_return;
    CAPSTAN_ASSERT(facts_, "a renewal has succeeded without facts");
    facts_->prices = prices_;
    Result<Market> market = Market::make(*facts_, config_);
    if (!market) {
        facts_.reset();
        throw Failure(std::move(market).error());
    }
    for (const std::string& warning : market->warnings())
        if (logged_warnings_.insert(warning).second) host_.warn(warning);
    machine_types_ = market->machine_types();
    market_.publish(*std::move(market));
    is_changed_ = false;
}

Task<MachineTypes> GroupMaker::machine_types() {
    co_await delete_leftovers();
    co_await read_market();
    co_return machine_types_;
}

Result<PlannedGroup> GroupMaker::new_group(const GroupPlan& plan) const {
    const std::shared_ptr<const Market> market = market_.read();
    if (!market) return fail(ErrorCode::unavailable, "provisioning: offerings are not known yet");
    return market->plan_group(plan);
}

// Changes and their outcomes.

ResourceLink GroupMaker::template_link(const std::string& name) const {
    return {
        .project = config_.project, .place = {}, .collection = "instanceTemplates", .name = name};
}

void GroupMaker::note_uncertain(const ResourceLink& group, bool is_deletion) {
    uncertain_.insert_or_assign(group, Uncertain{host_.monotonic(), is_deletion});
}

/// The outcome of an operation that has ended is certain, whatever its error.
Task<GroupMaker::Change> GroupMaker::carry_out(Task<Operation> asked, std::string action) {
    Change out;
    const Result<Operation> begun = co_await as_result(std::move(asked));
    if (!begun) {
        out.error = begun.error();
        out.is_sure = is_refusal(*out.error);
        co_return out;
    }
    const Result<Operation> ended =
        co_await as_result(await_operation(host_, parts_.client, *begun, making_patience));
    if (!ended || !ended->is_done) {
        const std::string why = ended ? "it is still running" : ended.error().message;
        out.error = Error{ErrorCode::deadline, action + ": the result is unknown: " + why};
        out.is_sure = false;
        out.operation = begun->link;
        co_return out;
    }
    if (const Result<void> outcome = outcome_of(*ended, action); !outcome)
        out.error = outcome.error();
    co_return out;
}

Task<std::optional<ManagedGroup>> GroupMaker::find_group(ResourceLink link) {
    auto found = co_await as_result(groups_.get(std::move(link)));
    if (found) co_return std::optional<ManagedGroup>(*std::move(found));
    if (!is_gone(found.error())) throw Failure(found.error());
    co_return std::nullopt;
}

Task<InstanceTemplate> GroupMaker::template_of(ManagedGroup group) {
    Result<ResourceLink> link = parse_link(group.template_link);
    if (!link) throw Failure(within("group " + group.link.name, std::move(link).error()));
    const ResourceLink where = *std::move(link);
    co_return co_await templates_.get(where);
}

/// Whether the group exists already. Throws a Failure if another group has its name.
Task<bool> GroupMaker::is_made(PossibleGroup wanted) {
    const ResourceLink link = wanted.group.link;
    const std::optional<ManagedGroup> there = co_await find_group(link);
    if (!there) co_return false;
    const ManagedGroup& group = *there;
    const InstanceTemplate made = co_await template_of(group);
    const std::string& digest =
        wanted.template_properties.text_at({"labels", std::string(plan_label)});
    const auto at = made.labels.find(plan_label);
    if (!is_made_here(made) || at == made.labels.end() || at->second != digest)
        throw other_has_the_name("group", group.link.name);
    const auto uncertain = uncertain_.find(link);
    if (uncertain != uncertain_.end() && uncertain->second.is_deletion)
        throw Failure(ErrorCode::unavailable, "group " + link.name + " is being deleted");
    co_return true;
}

/// Replaces an existing instance template of that name if this plugin made it: its group does not
/// exist, and its contents may be outdated.
Task<GroupMaker::Change> GroupMaker::make_template(PossibleGroup wanted) {
    const ResourceLink link = wanted.template_link;
    const std::string action = "instance template " + link.name;
    Change made = co_await carry_out(
        templates_.insert(link, wanted.template_properties, wanted.description), action);
    if (!made.error || !is_there_already(*made.error)) co_return made;
    const InstanceTemplate there = co_await templates_.get(link);
    if (!is_made_here(there)) throw other_has_the_name("instance template", link.name);
    const Change gone = co_await carry_out(templates_.remove(link), action);
    if (gone.error && !is_gone(*gone.error)) co_return gone;
    co_return co_await carry_out(
        templates_.insert(link, wanted.template_properties, wanted.description), action);
}

Task<void> GroupMaker::make_group(PossibleGroup wanted) {
    const ResourceLink link = wanted.group.link;
    const ManagedGroupsApi::NewGroup request = wanted.request;
    const Change made = co_await carry_out(groups_.insert(request), "group " + link.name);
    if (!made.error) co_return;
    const bool is_there = is_there_already(*made.error);
    if (is_there && co_await is_made(wanted)) co_return;
    // If Google did not answer, the group may exist and need its instance template.
    if (made.is_sure && !is_there) {
        const std::string name = link.name;
        co_await delete_template(name);
    } else {
        note_uncertain(link, false);
        if (made.operation) await_group(wanted, *made.operation);
    }
    throw Failure(*made.error);
}

/// Once the operation has ended, the outcome is certain.
void GroupMaker::await_group(const PossibleGroup& wanted, const ResourceLink& operation) {
    const ResourceLink link = wanted.group.link;
    const NodeGroup group = wanted.planned.group;
    parts_.operations.add(operation, [this, link, group](const Operation& ended) {
        uncertain_.erase(link);
        const Result<void> outcome = outcome_of(ended, "group " + link.name);
        if (outcome || is_there_already(outcome.error())) return;
        leftovers_.insert(link.name);
        parts_.failed.add_group(group, outcome.error());
    });
}

Task<void> GroupMaker::create(GroupPlan plan) {
    co_await read_market();
    Result<PossibleGroup> possible = market_.read()->make_group(plan);
    if (!possible) throw Failure(std::move(possible).error());
    const PossibleGroup wanted = *std::move(possible);
    if (co_await is_made(wanted)) co_return;
    leftovers_.erase(wanted.template_link.name);
    uncertain_.erase(wanted.group.link);
    const Change launchable = co_await make_template(wanted);
    if (launchable.error) {
        if (!launchable.is_sure) note_uncertain(wanted.group.link, false);
        throw Failure(*launchable.error);
    }
    co_await make_group(wanted);
}

/// Throws a Failure unless this plugin made the group and it is empty. Google deletes the machines
/// of a group along with it, so they are listed first.
Task<void> GroupMaker::require_deletable(ManagedGroup group) {
    const std::string what = "group " + in_quotes(group_id_of(group.link));
    const InstanceTemplate made = co_await template_of(group);
    if (!is_made_here(made) || made.link.name != group.link.name)
        throw Failure(ErrorCode::permission,
                      what + " was not created by node auto-provisioning for cluster " +
                          config_.cluster + ": its instance template lacks the label " +
                          std::string(made_for_label) + "=" + label_of_cluster(config_.cluster));
    if (count_wanted(group) > 0)
        throw Failure(ErrorCode::conflict,
                      what + " has a target size of " + counted(count_wanted(group), "instance"));
    std::int64_t machines = count_actions(group);
    if (machines == 0) {
        const ResourceLink link = group.link;
        const auto listed = co_await groups_.list_instances(link);
        machines = static_cast<std::int64_t>(listed.size());
    }
    if (machines > 0)
        throw Failure(ErrorCode::conflict, what + " still has " + counted(machines, "instance"));
}

Task<void> GroupMaker::destroy(NodeGroupId id) {
    Result<ResourceLink> named = group_of_id(id.value());
    if (!named) throw Failure(ErrorCode::not_found, named.error().message);
    const ResourceLink link = *std::move(named);
    const std::optional<ManagedGroup> found = co_await find_group(link);
    if (!found) throw Failure(ErrorCode::not_found, "no such group: " + in_quotes(id.value()));
    co_await require_deletable(*found);
    const Change deleted = co_await carry_out(groups_.remove(link), "group " + link.name);
    if (deleted.error && !is_gone(*deleted.error)) {
        if (!deleted.is_sure) note_uncertain(link, true);
        throw Failure(*deleted.error);
    }
    uncertain_.erase(link);
    const std::string name = link.name;
    co_await delete_template(name);
}

// Leftovers of earlier changes.

Task<void> GroupMaker::delete_template(std::string name) {
    const Change deleted =
        co_await carry_out(templates_.remove(template_link(name)), "instance template " + name);
    if (!deleted.error || is_gone(*deleted.error)) {
        leftovers_.erase(name);
        co_return;
    }
    if (leftovers_.insert(name).second)
        host_.warn("instance template " + name +
                   " cannot be deleted; retried: " + deleted.error->message);
}

/// Finds out the outcome of an uncertain change. The instance template of a group that does not
/// exist is a leftover. A group that still exists some time after its deletion counts as any other.
Task<void> GroupMaker::settle(ResourceLink group, Uncertain uncertain) {
    const bool is_old = host_.monotonic() - uncertain.since >= uncertain_for;
    if (!is_old && !uncertain.is_deletion) co_return;
    const auto there = co_await as_result(find_group(group));
    const bool is_over = there && (!*there || is_old);
    // A `create` that ran meanwhile may have removed the entry.
    if (!is_over || uncertain_.erase(group) == 0) co_return;
    if (!*there) leftovers_.insert(group.name);
}

Task<void> GroupMaker::delete_leftovers() {
    const std::map<ResourceLink, Uncertain> uncertain = uncertain_;
    for (const auto& [group, since] : uncertain) co_await settle(group, since);
    const std::set<std::string> names = leftovers_;
    for (const std::string& name : names)
        if (leftovers_.contains(name)) co_await delete_template(name);
}

}  // namespace capstan::gce
