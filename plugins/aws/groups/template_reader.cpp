#include "template_reader.hpp"

#include <algorithm>
#include <functional>
#include <memory>

#include <capstan/gather.hpp>
#include <capstan/sentence.hpp>

namespace capstan::aws {
namespace {

using std::chrono::minutes;

/// `jitter`: the share of the lifetime that is subtracted at random, at most.
constexpr CacheLife launch_life{.fresh = minutes(20), .jitter = 0.5};
constexpr CacheLife nodegroup_life{.fresh = minutes(6), .jitter = 0.2};
constexpr Duration launch_pause = minutes(1), nodegroup_pause = minutes(6);
constexpr std::size_t describes_waiting_most = 100'000;
constexpr std::size_t renewals_per_pass = 20;

bool is_symbolic(const LaunchTemplateRef& ref) {
    return ref.version.empty() || ref.version.starts_with('$');
}

/// The first override that names requirements in place of a type.
const InstanceRequirements* find_override_requirements(const AutoScalingGroup& group) {
    if (!group.mixed) return nullptr;
    for (const TypeOverride& each : group.mixed->overrides)
        if (each.requirements) return &*each.requirements;
    return nullptr;
}

std::vector<std::string> override_types(const AutoScalingGroup& group) {
    std::vector<std::string> out;
    if (!group.mixed) return out;
    for (const TypeOverride& each : group.mixed->overrides) {
        const bool is_known = std::find(out.begin(), out.end(), each.instance_type) != out.end();
        if (!each.instance_type.empty() && !is_known) out.push_back(each.instance_type);
    }
    return out;
}

std::string group_title(const AutoScalingGroup& group) { return "group " + in_quotes(group.name); }

/// What a machine was made from. It is the fingerprint of machines that were not made from their
/// group's current launch template or launch configuration.
std::string text_of_make(std::string_view name, std::string_view version) {
    return "made from " + std::string(name) +
           (version.empty() ? "" : ", version " + std::string(version));
}

bool is_same_launch_template(const LaunchTemplateRef& a, const LaunchTemplateRef& b) {
    return a.id.empty() || b.id.empty() ? a.name == b.name : a.id == b.id;
}

}  // namespace

std::optional<LaunchTemplateRef> find_launch_template(const AutoScalingGroup& group) {
    if (group.mixed) return group.mixed->launch_template;
    return group.launch_template;
}

std::optional<NodegroupName> find_nodegroup(const Labels& tags) {
    const auto cluster = tags.find("eks:cluster-name");
    const auto name = tags.find("eks:nodegroup-name");
    if (cluster == tags.end() || name == tags.end()) return std::nullopt;
    return NodegroupName{cluster->second, name->second};
}

TemplateReader::TemplateReader(const Host& host, Apis apis, TypeSource& types,
                               TemplateConfig config, Duration refresh_every,
                               std::size_t parallel_calls)
    : host_(host),
      apis_(apis),
      types_(types),
      config_(std::move(config)),
      refresh_every_(refresh_every),
      launch_templates_(host, launch_life, launch_pause),
      configurations_(host, launch_life, launch_pause),
      images_(host, launch_life, launch_pause),
      nodegroups_(host, nodegroup_life, nodegroup_pause),
      types_by_requirements_(host, launch_life, launch_pause),
      reading_configurations_(host),
      calls_(host, parallel_calls, describes_waiting_most),
      parallel_calls_(parallel_calls),
      warnings_(host) {}

Task<NodeTemplate> TemplateReader::describe(AutoScalingGroup group) {
    const Semaphore::Permit permit = co_await calls_.acquire();
    co_await read_sources(group);
    const TemplateSources sources = known_sources(group);
    if (const auto why = find_missing_types(sources)) co_return fail(*why);
    std::vector<std::string> warnings = missing_parts(group);
    Result<GroupTemplate> made = make_template(sources, config_);
    if (!made) co_return fail(within(group_title(group), std::move(made).error()));
    for (const std::string& warning : made->warnings)
        warnings.push_back(group_title(group) + ": " + warning);
    warnings_.set(group.name, std::move(warnings));
    if (described_.try_emplace(group.name).second) ++described_version_;
    made->node.fingerprint = fingerprint_of(sources, config_);
    co_return std::move(made->node);
}

/// Reads all that is due. Errors are kept in the caches: find_missing_types and missing_parts
/// report them.
Task<void> TemplateReader::read_sources(AutoScalingGroup group) {
    co_await read_launch_data(group);
    const LaunchTemplateData* const data = find_launch_data(group);
    if (data != nullptr && data->image_id.starts_with("ami-")) co_await read_image(data->image_id);
    if (const auto nodegroup = find_nodegroup(group.tags)) co_await read_nodegroup(*nodegroup);
    if (const auto requirements = find_requirements(group))
        co_await read_types(group, *requirements);
    const std::vector<std::string> names = find_type_names(group);
    const Result<std::vector<InstanceType>> types = co_await as_result(types_.get(names));
    if (!types && types.error().code != ErrorCode::not_found) throw Failure(types.error());
}

TemplateSources TemplateReader::known_sources(const AutoScalingGroup& group) const {
    TemplateSources out;
    out.group.name = group.name;
    out.group.zones = group.zones;
    out.group.tags = group.tags;
    out.group.launch_configuration = group.launch_configuration;
    out.group.launch_template = group.launch_template;
    out.group.mixed = group.mixed;
    out.requirements = find_requirements(group);
    if (const LaunchTemplateData* const data = find_launch_data(group)) out.launch_template = *data;
    if (const Image* const image = find_image(group)) out.image = *image;
    if (const auto nodegroup = find_nodegroup(group.tags)) {
        if (const EksNodegroup* const known = nodegroups_.find(*nodegroup)) out.nodegroup = *known;
    }
    for (const std::string& name : find_type_names(group))
        if (const InstanceType* const type = types_.find(name)) out.types.push_back(*type);
    return out;
}

/// Why no template can be made of the sources; nullopt if all instance types, or the requirements
/// for them, are known.
std::optional<Error> TemplateReader::find_missing_types(const TemplateSources& sources) const {
    const AutoScalingGroup& group = sources.group;
    const std::vector<std::string> names = find_type_names(group);
    if (sources.types.size() == names.size() && !names.empty()) return std::nullopt;
    if (sources.requirements) return std::nullopt;
    std::vector<std::string> unknown;
    for (const std::string& name : names)
        if (types_.find(name) == nullptr) unknown.push_back(name);
    if (!unknown.empty())
        return Error{.code = ErrorCode::unavailable,
                     .message = group_title(group) + ": unknown instance types: " +
                                listed(unknown, [](const std::string& name) { return name; })};
    if (const Error* const why = find_launch_error(group)) return within(group_title(group), *why);
    return Error{
        .code = ErrorCode::unavailable,
        .message = group_title(group) +
                   ": no instance type in the group, its launch template or launch configuration"};
}

Task<void> TemplateReader::read_launch_data(AutoScalingGroup group) {
    if (!group.launch_configuration.empty()) {
        wanted_configurations_.insert(group.launch_configuration);
        if (configurations_.is_due(group.launch_configuration))
            co_await reading_configurations_.join(read_wanted_configurations());
        co_return;
    }
    const std::optional<LaunchTemplateRef> ref = find_launch_template(group);
    if (!ref) co_return;
    const auto read = [this](LaunchTemplateRef which) {
        return apis_.ec2.describe_launch_template_version(std::move(which));
    };
    co_await launch_templates_.update(*ref, read);
}

/// Reads all launch configurations that are due in one call.
Task<bool> TemplateReader::read_wanted_configurations() {
    std::vector<std::string> names;
    for (const std::string& name : wanted_configurations_)
        if (configurations_.is_due(name)) names.push_back(name);
    const auto answer =
        co_await as_result(apis_.auto_scaling.describe_launch_configurations(names));
    for (const std::string& name : names) {
        if (!answer) {
            configurations_.put_error(name, answer.error());
        } else if (const auto at = answer->find(name); at != answer->end()) {
            configurations_.put(name, at->second);
        } else {
            configurations_.put_error(
                name,
                {ErrorCode::not_found, "launch configuration " + in_quotes(name) + ": not found"});
        }
    }
    co_return true;
}

Task<void> TemplateReader::read_nodegroup(NodegroupName name) {
    const auto read = [this](const NodegroupName& which) {
        return apis_.eks.describe_nodegroup(which.cluster, which.name);
    };
    return nodegroups_.update(std::move(name), read);
}

Task<void> TemplateReader::read_image(std::string id) {
    const auto read = [this](std::string which) { return read_one_image(std::move(which)); };
    return images_.update(std::move(id), read);
}

Task<Image> TemplateReader::read_one_image(std::string id) {
    const std::vector<std::string> ids{id};
    std::vector<Image> images = co_await apis_.ec2.describe_images(ids);
    if (images.empty())
        co_return fail(ErrorCode::not_found, "image " + in_quotes(id) + ": not found");
    co_return std::move(images.front());
}

std::string TemplateReader::requirements_key(const AutoScalingGroup& group,
                                             const InstanceRequirements& requirements) const {
    const Image* const image = find_image(group);
    std::string out =
        image != nullptr ? image->architecture + " " + image->virtualization_type : "x86_64 hvm";
    for (const auto& [name, value] : requirements.parameters) out += "\n" + name + "=" + value;
    return out;
}

Task<void> TemplateReader::read_types(AutoScalingGroup group, InstanceRequirements requirements) {
    const Image* const image = find_image(group);
    const std::string architecture = image != nullptr ? image->architecture : "x86_64";
    const std::string virtualization = image != nullptr ? image->virtualization_type : "hvm";
    const auto read = [&](const std::string&) {
        return apis_.ec2.find_types(requirements, architecture, virtualization);
    };
    co_await types_by_requirements_.update(requirements_key(group, requirements), read);
}

std::optional<InstanceRequirements> TemplateReader::find_requirements(
    const AutoScalingGroup& group) const {
    if (const InstanceRequirements* const own = find_override_requirements(group)) return *own;
    if (!override_types(group).empty()) return std::nullopt;
    const LaunchTemplateData* const data = find_launch_data(group);
    if (data == nullptr || !data->instance_type.empty()) return std::nullopt;
    return data->requirements;
}

std::vector<std::string> TemplateReader::find_type_names(const AutoScalingGroup& group) const {
    std::vector<std::string> names = override_types(group);
    if (!names.empty()) return names;
    if (const auto requirements = find_requirements(group)) {
        const auto* const found =
            types_by_requirements_.find(requirements_key(group, *requirements));
        return found != nullptr ? *found : names;
    }
    const LaunchTemplateData* const data = find_launch_data(group);
    if (data != nullptr && !data->instance_type.empty()) names.push_back(data->instance_type);
    return names;
}

const LaunchTemplateData* TemplateReader::find_launch_data(const AutoScalingGroup& group) const {
    if (!group.launch_configuration.empty())
        return configurations_.find(group.launch_configuration);
    const std::optional<LaunchTemplateRef> ref = find_launch_template(group);
    return ref ? launch_templates_.find(*ref) : nullptr;
}

const Image* TemplateReader::find_image(const AutoScalingGroup& group) const {
    const LaunchTemplateData* const data = find_launch_data(group);
    return data != nullptr ? images_.find(data->image_id) : nullptr;
}

/// The error that keeps the instance types of the group unknown; NULL if there is none.
const Error* TemplateReader::find_launch_error(const AutoScalingGroup& group) const {
    if (const auto requirements = find_requirements(group)) {
        if (const Error* const error =
                types_by_requirements_.find_error(requirements_key(group, *requirements)))
            return error;
    }
    if (!group.launch_configuration.empty())
        return configurations_.find_error(group.launch_configuration);
    const std::optional<LaunchTemplateRef> ref = find_launch_template(group);
    return ref ? launch_templates_.find_error(*ref) : nullptr;
}

/// A sentence for each part that could not be read and that the template is made without.
std::vector<std::string> TemplateReader::missing_parts(const AutoScalingGroup& group) const {
    std::vector<std::string> out;
    const auto note = [&](const char* what, const Error* error) {
        if (error != nullptr)
            out.push_back(group_title(group) + ": its node template is built without " + what +
                          ": " + error->message);
    };
    const LaunchTemplateData* const data = find_launch_data(group);
    if (data == nullptr) note("its launch template", find_launch_error(group));
    if (data != nullptr && images_.find(data->image_id) == nullptr)
        note("its image", images_.find_error(data->image_id));
    if (data != nullptr && !data->image_error.empty())
        out.push_back(group_title(group) + ": its node template is built without its image " +
                      in_quotes(data->image_parameter) + ": " + data->image_error);
    const auto nodegroup = find_nodegroup(group.tags);
    if (nodegroup && nodegroups_.find(*nodegroup) == nullptr)
        note("its EKS node group", nodegroups_.find_error(*nodegroup));
    return out;
}

/// Expires the contents of "$Latest" and "$Default" after a while, and as soon as an instance shows
/// a version that none had before.
void TemplateReader::expire_symbolic_version(const AutoScalingGroup& group) {
    const std::optional<LaunchTemplateRef> ref = find_launch_template(group);
    if (!ref || !is_symbolic(*ref)) return;
    const LaunchTemplateData* const known = launch_templates_.find(*ref);
    if (known == nullptr) return;
    SymbolicVersion& symbolic =
        symbolic_versions_.try_emplace(*ref, SymbolicVersion{host_.monotonic()}).first->second;
    bool is_due = host_.monotonic() - symbolic.expired_at >= refresh_every_;
    for (const AsgInstance& instance : group.instances) {
        const auto& made_from = instance.launch_template;
        if (!made_from || !is_same_launch_template(*ref, *made_from)) continue;
        const bool is_new = symbolic.seen_at_instances.insert(made_from->version).second;
        is_due = is_due || (is_new && made_from->version != known->version);
    }
    if (!is_due) return;
    symbolic.expired_at = host_.monotonic();
    launch_templates_.expire(*ref);
}

Task<void> TemplateReader::renew(const std::vector<const AutoScalingGroup*>& groups) {
    std::vector<Task<void>> reads;
    for (std::size_t n = 0; n < groups.size() && reads.size() < renewals_per_pass; ++n) {
        const AutoScalingGroup* const group = groups[renewed_++ % groups.size()];
        // The version of a group that was not described yet is part of its first view.
        expire_symbolic_version(*group);
        const std::optional<LaunchTemplateRef> ref = find_launch_template(*group);
        if (ref && may_resolve_otherwise(*ref) && launch_templates_.is_due(*ref))
            reads.push_back(read_launch_data(*group));
        if (!described_.contains(group->name)) continue;
        const auto nodegroup = find_nodegroup(group->tags);
        if (nodegroup && nodegroups_.is_due(*nodegroup))
            reads.push_back(read_nodegroup(*nodegroup));
    }
    return run_all_reads(std::move(reads));
}

Task<void> TemplateReader::run_all_reads(std::vector<Task<void>> reads) {
    co_await gather_results(std::move(reads), parallel_calls_);
}

/// Whether the same reference may later resolve to other contents: by a symbolic version, or by an
/// SSM parameter that names the image.
bool TemplateReader::may_resolve_otherwise(const LaunchTemplateRef& ref) const {
    const LaunchTemplateData* const data = launch_templates_.find(ref);
    return is_symbolic(ref) || (data != nullptr && !data->image_parameter.empty());
}

std::string TemplateReader::resolved(const LaunchTemplateRef& ref) const {
    if (!is_symbolic(ref)) return ref.version;
    const LaunchTemplateData* const data = launch_templates_.find(ref);
    return data != nullptr ? data->version : ref.version;
}

std::string TemplateReader::make_of(const AutoScalingGroup& group) const {
    if (!group.launch_configuration.empty()) return text_of_make(group.launch_configuration, "");
    const std::optional<LaunchTemplateRef> ref = find_launch_template(group);
    return ref ? text_of_make(ref->id.empty() ? ref->name : ref->id, resolved(*ref)) : "";
}

const std::string& TemplateReader::fingerprint(const AutoScalingGroup& group,
                                               std::uint64_t read_at) {
    static const std::string unknown;
    const auto at = described_.find(group.name);
    if (at == described_.end()) return unknown;
    Described& known = at->second;
    if (known.fingerprint.empty() || known.version != version() || known.read_at != read_at)
        known = {.fingerprint = fingerprint_of(known_sources(group), config_),
                 .version = version(),
                 .read_at = read_at};
    return known.fingerprint;
}

std::string TemplateReader::fingerprint(const AsgInstance& instance, const AutoScalingGroup& group,
                                        const std::string& of_group) const {
    if (!instance.launch_template) {
        if (instance.launch_configuration.empty()) return {};
        const bool is_current = instance.launch_configuration == group.launch_configuration;
        return is_current ? of_group : text_of_make(instance.launch_configuration, "");
    }
    const LaunchTemplateRef& made_from = *instance.launch_template;
    const auto is_current = [&](const LaunchTemplateRef& ref) {
        return is_same_launch_template(ref, made_from) && resolved(ref) == made_from.version;
    };
    const std::optional<LaunchTemplateRef> own = find_launch_template(group);
    if (own && is_current(*own)) return of_group;
    if (own && is_symbolic({.version = resolved(*own)})) return {};
    if (group.mixed) {
        for (const TypeOverride& each : group.mixed->overrides)
            if (each.launch_template && is_current(*each.launch_template)) return of_group;
    }
    return text_of_make(made_from.id.empty() ? made_from.name : made_from.id, made_from.version);
}

std::uint64_t TemplateReader::version() const noexcept {
    return described_version_ + launch_templates_.version() + configurations_.version() +
           images_.version() + nodegroups_.version() + types_by_requirements_.version() +
           types_.version();
}

void TemplateReader::follow(const std::vector<const AutoScalingGroup*>& groups) {
    std::set<std::string> names, images, requirements;
    std::set<LaunchTemplateRef> launch_templates;
    std::set<NodegroupName> nodegroups;
    wanted_configurations_.clear();
    for (const AutoScalingGroup* const group : groups) {
        names.insert(group->name);
        if (!group->launch_configuration.empty())
            wanted_configurations_.insert(group->launch_configuration);
        if (const auto ref = find_launch_template(*group)) launch_templates.insert(*ref);
        if (const auto nodegroup = find_nodegroup(group->tags)) nodegroups.insert(*nodegroup);
        if (const auto* const data = find_launch_data(*group)) images.insert(data->image_id);
        if (const auto asked = find_requirements(*group))
            requirements.insert(requirements_key(*group, *asked));
        for (const std::string& type : find_type_names(*group)) types_.want(type);
    }
    std::erase_if(described_, [&](const auto& entry) { return !names.contains(entry.first); });
    launch_templates_.keep_only(launch_templates);
    std::erase_if(symbolic_versions_,
                  [&](const auto& entry) { return !launch_templates.contains(entry.first); });
    configurations_.keep_only(wanted_configurations_);
    images_.keep_only(images);
    nodegroups_.keep_only(nodegroups);
    types_by_requirements_.keep_only(requirements);
}

}  // namespace capstan::aws
