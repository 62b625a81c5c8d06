#include "group_maker.hpp"

#include <algorithm>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>

namespace capstan::aws {
namespace {

constexpr Duration market_life = std::chrono::minutes(10);

bool is_there_already(const Error& error) {
    return error.provider_code.find("AlreadyExists") != std::string::npos;
}

bool is_gone(const Error& error) {
    return error.code == ErrorCode::not_found ||
           error.provider_code.find("NotFound") != std::string::npos;
}

/// Whether AWS has refused the request. After a server error, or without an answer, the request may
/// have been carried out.
bool is_refusal(const Error& error) {
    return error.code != ErrorCode::deadline && error.code != ErrorCode::unavailable &&
           error.code != ErrorCode::cancelled;
}

/// How long AWS may take to list a group if it did not answer the creation.
constexpr Duration uncertain_for = std::chrono::minutes(10);

/// Compares the contents, since the pointer changes more often than the types.
bool are_alike(const TypeTable* a, const TypeTable* b) {
    return a == b || (a != nullptr && b != nullptr && a->all() == b->all());
}

Failure another_has_the_name(const std::string& what, const std::string& name) {
    return Failure(ErrorCode::conflict, "another " + what + " " + in_quotes(name) +
                                            " exists that was not created for this plan");
}

/// Throws a Failure unless the group was made for the same plan and is not being deleted.
void require_same_plan(const AutoScalingGroup& there, const PossibleGroup& wanted,
                       const std::string& cluster) {
    const auto digest = there.tags.find(plan_tag);
    const bool is_alike = is_made_for(there.tags, cluster) && digest != there.tags.end() &&
                          digest->second == wanted.group.tags.at(std::string(plan_tag));
    if (!is_alike) throw another_has_the_name("group", there.name);
    if (!there.status.empty())
        throw Failure(ErrorCode::unavailable,
                      "group " + there.name + " is being deleted (" + there.status + ")");
}

void require_deletable(const AutoScalingGroup& group, const std::string& cluster) {
    const std::string what = "group " + in_quotes(group.name);
    if (!is_made_for(group.tags, cluster))
        throw Failure(ErrorCode::permission,
                      what + " was not created by node auto-provisioning for cluster " + cluster +
                          ": it lacks the tag " + std::string(made_for_tag) + "=" + cluster);
    if (!group.instances.empty())
        throw Failure(ErrorCode::conflict,
                      what + " still has " +
                          counted(static_cast<std::int64_t>(group.instances.size()), "instance"));
    if (group.desired > 0)
        throw Failure(ErrorCode::conflict,
                      what + " has a desired capacity of " + counted(group.desired, "instance"));
}

}  // namespace

GroupMaker::GroupMaker(const Host& host, AutoScalingApi& groups, Ec2Api& ec2, MakingConfig config)
    : host_(host), groups_(groups), ec2_(ec2), config_(std::move(config)) {}

void GroupMaker::use(std::shared_ptr<const TypeTable> types,
                     std::shared_ptr<const PriceTable> prices) {
    is_changed_ = is_changed_ || prices != prices_ || !are_alike(types.get(), types_.get());
    types_ = std::move(types);
    prices_ = std::move(prices);
}

Task<MarketFacts> GroupMaker::read_facts() {
    MarketFacts out;
    out.source = co_await ec2_.describe_launch_template_version(config_.launch_template);
    if (!out.source.image_id.empty()) {
        const std::vector<std::string> ids{out.source.image_id};
        const std::vector<Image> images = co_await ec2_.describe_images(ids);
        if (!images.empty()) out.image = images.front();
    }
    out.subnets = co_await ec2_.find_subnets(config_.subnet_tags);
    out.offerings = co_await ec2_.describe_type_offerings();
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
    if (!types_)
        throw Failure(ErrorCode::unavailable, "provisioning: instance types are not known yet");
    const bool is_old = !facts_ || host_.monotonic() - read_at_ >= market_life;
    if (is_old) co_await renew_facts();
    if (!is_old && !is_changed_) co_return;
    CAPSTAN_ASSERT(facts_, "a renewal has succeeded without facts");
    facts_->types = types_;
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
    CAPSTAN_TRY(PossibleGroup possible, market->make_group(plan));
    return std::move(possible.planned);
}

Task<std::optional<AutoScalingGroup>> GroupMaker::find_group(std::string name) {
    const std::vector<std::string> names{name};
    const AutoScalingGroups found = co_await groups_.describe_groups(names);
    for (const AutoScalingGroup& group : found.groups)
        if (group.name == name) co_return group;
    for (const Error& error : found.unreadable)
        if (error.subject == name) throw Failure(error);
    co_return std::nullopt;
}

/// Replaces an existing launch template of that name if this plugin made it: its group does not
/// exist, and its contents may be outdated.
Task<void> GroupMaker::make_launch_template(Ec2Api::NewLaunchTemplate wanted) {
    const auto made = co_await as_result(ec2_.create_launch_template(wanted));
    if (made) co_return;
    if (!is_there_already(made.error())) throw Failure(made.error());
    const LaunchTemplateRef ref{.name = wanted.name, .version = "$Latest"};
    const LaunchTemplateData there = co_await ec2_.describe_launch_template_version(ref);
    if (!is_made_for(there.instance_tags, config_.cluster))
        throw another_has_the_name("launch template", wanted.name);
    co_await ec2_.delete_launch_template(wanted.name);
    co_await ec2_.create_launch_template(std::move(wanted));
}

Task<void> GroupMaker::delete_launch_template(std::string name) {
    const auto deleted = co_await as_result(ec2_.delete_launch_template(name));
    if (deleted || is_gone(deleted.error())) {
        leftovers_.erase(name);
        co_return;
    }
    if (leftovers_.insert(name).second)
        host_.warn("launch template " + name +
                   " cannot be deleted; retried: " + deleted.error().message);
}

Task<void> GroupMaker::delete_leftovers() {
    const std::map<std::string, Duration> uncertain = uncertain_;
    for (const auto& [name, since] : uncertain) {
        if (host_.monotonic() - since < uncertain_for) continue;
        const auto there = co_await as_result(find_group(name));
        // A `create` that ran meanwhile may have removed the entry.
        if (!there || uncertain_.erase(name) == 0) continue;
        if (!*there) leftovers_.insert(name);
    }
    const std::set<std::string> names = leftovers_;
    for (const std::string& name : names)
        if (leftovers_.contains(name)) co_await delete_launch_template(name);
}

Task<void> GroupMaker::create(GroupPlan plan) {
    co_await read_market();
    Result<PossibleGroup> wanted = market_.read()->make_group(plan);
    if (!wanted) throw Failure(std::move(wanted).error());
    const std::string name = wanted->group.name;
    if (co_await is_made(*wanted)) co_return;
    leftovers_.erase(name);
    uncertain_.erase(name);
    const auto launchable = co_await as_result(make_launch_template(wanted->launch_template));
    if (!launchable) {
        if (!is_refusal(launchable.error())) uncertain_.emplace(name, host_.monotonic());
        throw Failure(launchable.error());
    }
    const auto made = co_await as_result(groups_.create_group(wanted->request));
    if (made) co_return;
    const bool is_there = is_there_already(made.error());
    if (is_there && co_await is_made(*wanted)) co_return;
    // If AWS did not answer, the group may exist and need its launch template.
    if (is_refusal(made.error()) && !is_there) {
        co_await delete_launch_template(name);
    } else {
        uncertain_.emplace(name, host_.monotonic());
    }
    throw Failure(made.error());
}

/// Whether the group exists already. Throws a Failure if another group has its name.
Task<bool> GroupMaker::is_made(PossibleGroup wanted) {
    const std::optional<AutoScalingGroup> there = co_await find_group(wanted.group.name);
    if (there) require_same_plan(*there, wanted, config_.cluster);
    co_return there.has_value();
}

Task<void> GroupMaker::destroy(NodeGroupId id) {
    const std::string& name = id.value();
    const std::optional<AutoScalingGroup> there = co_await find_group(name);
    if (!there) throw Failure(ErrorCode::not_found, "no such group: " + in_quotes(name));
    require_deletable(*there, config_.cluster);
    // The status is set while the group is being deleted already.
    if (there->status.empty()) {
        const auto deleted = co_await as_result(groups_.delete_group(name));
        if (!deleted && !is_gone(deleted.error())) {
            // If AWS did not answer, the group may be gone; its launch template is deleted later.
            if (!is_refusal(deleted.error())) uncertain_.emplace(name, host_.monotonic());
            throw Failure(deleted.error());
        }
    }
    co_await delete_launch_template(name);
}

}  // namespace capstan::aws
