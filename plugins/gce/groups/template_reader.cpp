#include "template_reader.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include <capstan/gather.hpp>
#include <capstan/sentence.hpp>

#include "../wire/resource_ids.hpp"

namespace capstan::gce {
namespace {

constexpr CacheLife template_life{.fresh = Duration::max(), .jitter = 0};
constexpr CacheLife type_life{.fresh = std::chrono::hours(1), .jitter = 0.2};
constexpr Duration read_pause = std::chrono::minutes(1);
constexpr std::size_t describes_waiting_most = 100'000;
constexpr std::size_t renewals_per_pass = 20;

std::string described_group(const ManagedGroup& group) {
    return "group " + in_quotes(group_id_of(group.link));
}

/// Ascending by name: a new node counts as being in the first zone.
std::vector<std::string> zones_by_name(const ManagedGroup& group) {
    if (group.link.place.scope == Scope::zone) return {group.link.place.name};
    std::vector<std::string> out = group.zones;
    std::sort(out.begin(), out.end());
    return out;
}

std::optional<GceMachineType> custom_type(const std::string& name) {
    auto custom = parse_custom_type(name);
    return custom ? *std::move(custom) : std::nullopt;
}

/// Whether the machine type has to be looked up: the name of a custom type says everything.
bool is_looked_up(const std::string& name) {
    const auto custom = parse_custom_type(name);
    return custom && !custom->has_value();
}

/// Errors are kept in the caches.
Task<void> run_reads(std::vector<Task<void>> reads, std::size_t at_most) {
    co_await gather_results(std::move(reads), at_most);
}

/// The minimum of these types, with the name of the first.
GceMachineType least_of(const std::vector<GceMachineType>& types) {
    GceMachineType out = types.front();
    for (const GceMachineType& type : types) {
        out.vcpus = std::min(out.vcpus, type.vcpus);
        out.memory_mib = std::min(out.memory_mib, type.memory_mib);
        out.bundled_local_ssds = std::min(out.bundled_local_ssds, type.bundled_local_ssds);
        if (type.accelerators != out.accelerators) out.accelerators.clear();
    }
    return out;
}

}  // namespace

TemplateReader::TemplateReader(const Host& host, Apis apis, TemplateConfig config,
                               std::size_t parallel_calls)
    : host_(host),
      apis_(apis),
      config_(config),
      templates_(host, template_life, read_pause),
      types_(host, type_life, read_pause),
      images_(host, type_life, read_pause),
      calls_(host, parallel_calls, describes_waiting_most),
      parallel_calls_(parallel_calls),
      warnings_(host) {}

Task<NodeTemplate> TemplateReader::describe(ManagedGroup group) {
    const Semaphore::Permit permit = co_await calls_.acquire();
    co_await read_sources(group);
    if (find_template(group.template_link) == nullptr) {
        const Error* const why = find_template_error(group.template_link);
        co_return fail(within(
            described_group(group),
            why != nullptr ? *why : Error{ErrorCode::unavailable, "it has no instance template"}));
    }
    const TemplateSources sources = known_sources(group);
    std::vector<std::string> warnings = missing_parts(group);
    Result<GroupTemplate> made = make_template(sources, config_);
    if (!made) co_return fail(within(described_group(group), std::move(made).error()));
    for (const std::string& warning : made->warnings)
        warnings.push_back(described_group(group) + ": " + warning);
    const std::string id = group_id_of(group.link);
    warnings_.set(id, std::move(warnings));
    if (described_.try_emplace(id).second) ++described_version_;
    made->node.fingerprint = fingerprint_of(sources, config_);
    if (const auto types = group.flexible_types.size(); types > 1)
        made->node.variants = static_cast<int>(types);
    co_return std::move(made->node);
}

Task<void> TemplateReader::read_template(std::string link) {
    const auto read = [this](const std::string& which) -> Task<InstanceTemplate> {
        auto parsed = parse_link(which);
        if (!parsed) return fail_task<InstanceTemplate>(std::move(parsed).error());
        return apis_.templates.get(*std::move(parsed));
    };
    const bool failed_before = find_template_error(link) != nullptr;
    co_await templates_.update(link, read);
    const bool fails = find_template_error(link) != nullptr;
    if (fails != failed_before) ++described_version_;
}

Task<void> TemplateReader::read_templates(std::vector<std::string> links) {
    std::vector<Task<void>> reads;
    for (std::string& link : links)
        if (!link.empty() && templates_.is_due(link))
            reads.push_back(read_template(std::move(link)));
    return run_reads(std::move(reads), parallel_calls_);
}

/// Reads all that is due. Errors are kept in the caches, and missing_parts reports them.
Task<void> TemplateReader::read_sources(ManagedGroup group) {
    if (group.template_link.empty()) co_return;
    co_await read_template(group.template_link);
    const std::string image = find_image_link(group);
    if (!image.empty()) co_await read_image(image);
    const std::vector<std::string> names = find_type_names(group);
    for (const std::string& name : names)
        if (is_looked_up(name)) co_await read_type(group, name);
}

/// Reads the type in the first zone that has it.
Task<void> TemplateReader::read_type(ManagedGroup group, std::string name) {
    const std::vector<TypeKey> keys = type_keys(group, name);
    for (const TypeKey& key : keys) {
        const auto read = [this](const TypeKey& which) {
            const auto& [project, zone, type] = which;
            return apis_.lookup.machine_type(project, zone, type);
        };
        co_await types_.update(key, read);
        const Error* const error = types_.find_error(key);
        if (error == nullptr || error->code != ErrorCode::not_found) co_return;
    }
}

Task<void> TemplateReader::read_image(std::string link) {
    const auto read = [this](const std::string& which) { return apis_.lookup.image(which); };
    return images_.update(std::move(link), read);
}

/// Only the fields of the group that templates depend on, so that its size does not change the
/// fingerprint.
TemplateSources TemplateReader::known_sources(const ManagedGroup& group) const {
    TemplateSources out;
    out.group.link = group.link;
    out.group.template_link = group.template_link;
    out.group.zones = group.zones;
    out.group.shape = group.shape;
    out.group.flexible_types = group.flexible_types;
    if (const InstanceTemplate* const known = find_template(group.template_link))
        out.instance_template = *known;
    if (!group.flexible_types.empty())
        out.instance_template.machine_type = group.flexible_types.front();
    out.machine_type = find_type(group);
    if (const GceImage* const image = images_.find(find_image_link(group))) out.image = *image;
    return out;
}

std::vector<std::string> TemplateReader::find_type_names(const ManagedGroup& group) const {
    if (!group.flexible_types.empty()) return group.flexible_types;
    const InstanceTemplate* const known = find_template(group.template_link);
    if (known == nullptr || known->machine_type.empty()) return {};
    return {known->machine_type};
}

std::vector<TemplateReader::TypeKey> TemplateReader::type_keys(const ManagedGroup& group,
                                                               const std::string& name) const {
    std::vector<TypeKey> out;
    for (const std::string& zone : zones_by_name(group))
        out.emplace_back(group.link.project, zone, name);
    return out;
}

std::optional<GceMachineType> TemplateReader::find_one_type(const ManagedGroup& group,
                                                            const std::string& name) const {
    if (!is_looked_up(name)) return custom_type(name);
    for (const TypeKey& key : type_keys(group, name))
        if (const GceMachineType* const type = types_.find(key)) return *type;
    return std::nullopt;
}

std::optional<GceMachineType> TemplateReader::find_type(const ManagedGroup& group) const {
    std::vector<GceMachineType> types;
    for (const std::string& name : find_type_names(group)) {
        auto type = find_one_type(group, name);
        if (!type) return std::nullopt;
        types.push_back(*std::move(type));
    }
    if (types.empty()) return std::nullopt;
    return least_of(types);
}

std::string TemplateReader::find_image_link(const ManagedGroup& group) const {
    const InstanceTemplate* const known = find_template(group.template_link);
    if (known == nullptr) return {};
    const auto boot = std::find_if(known->disks.begin(), known->disks.end(),
                                   [](const TemplateDisk& disk) { return disk.is_boot; });
    return boot != known->disks.end() ? boot->image : std::string();
}

/// A sentence for each part that could not be read and that the template is made without.
std::vector<std::string> TemplateReader::missing_parts(const ManagedGroup& group) const {
    std::vector<std::string> out;
    const auto note = [&](const std::string& what, const Error* error) {
        if (error != nullptr)
            out.push_back(described_group(group) + ": its node template is built without " + what +
                          ": " + error->message);
    };
    const std::string image = find_image_link(group);
    if (images_.find(image) == nullptr) note("its image", images_.find_error(image));
    for (const std::string& name : find_type_names(group)) {
        const std::vector<TypeKey> keys = type_keys(group, name);
        if (find_one_type(group, name) || keys.empty()) continue;
        note("the machine type " + in_quotes(name), types_.find_error(keys.front()));
    }
    return out;
}

/// Whether the fingerprint may be outdated until something is read.
bool TemplateReader::is_due(const ManagedGroup& group) const {
    if (group.template_link.empty()) return false;
    if (templates_.is_due(group.template_link)) return true;
    const std::string image = find_image_link(group);
    if (!image.empty() && images_.is_due(image)) return true;
    const std::vector<std::string> names = find_type_names(group);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        if (!is_looked_up(name)) return false;
        for (const TypeKey& key : type_keys(group, name)) {
            const Error* const error = types_.find_error(key);
            if (types_.is_due(key)) return true;
            if (error == nullptr || error->code != ErrorCode::not_found) return false;
        }
        return false;
    });
}

Task<void> TemplateReader::renew(const std::vector<const ListedGroup*>& groups) {
    std::vector<Task<void>> reads;
    for (std::size_t n = 0; n < groups.size() && reads.size() < renewals_per_pass; ++n) {
        const ManagedGroup& group = groups[renewed_++ % groups.size()]->row;
        if (described_.contains(group_id_of(group.link)) && is_due(group))
            reads.push_back(read_sources(group));
    }
    return run_reads(std::move(reads), parallel_calls_);
}

const std::string& TemplateReader::fingerprint(const ListedGroup& group) {
    static const std::string unknown;
    const auto at = described_.find(group_id_of(group.row.link));
    if (at == described_.end()) return unknown;
    Described& known = at->second;
    if (known.fingerprint.empty() || known.version != version() ||
        known.row_version != group.row_version)
        known = {.fingerprint = fingerprint_of(known_sources(group.row), config_),
                 .version = version(),
                 .row_version = group.row_version};
    return known.fingerprint;
}

std::string TemplateReader::fingerprint(const GroupMachine& machine, const ManagedGroup& group,
                                        const std::string& of_group) {
    if (of_group.empty() || machine.template_link.empty()) return {};
    if (machine.template_link == group.template_link) return of_group;
    const auto made_from = parse_link(machine.template_link);
    return "made from " + (made_from ? made_from->path() : machine.template_link);
}

const InstanceTemplate* TemplateReader::find_template(const std::string& link) const {
    return templates_.find(link);
}

const Error* TemplateReader::find_template_error(const std::string& link) const {
    return templates_.find_error(link);
}

const KubeEnvOptions* TemplateReader::find_options(const std::string& link) {
    const auto at = options_.find(link);
    if (at != options_.end()) return &at->second;
    const InstanceTemplate* const known = find_template(link);
    if (known == nullptr) return nullptr;
    return &options_.emplace(link, read_kube_env_options(*known)).first->second;
}

std::uint64_t TemplateReader::version() const noexcept {
    return described_version_ + templates_.version() + types_.version() + images_.version();
}

void TemplateReader::follow(const std::vector<const ListedGroup*>& groups) {
    std::set<std::string> ids, links, images;
    std::set<TypeKey> types;
    for (const ListedGroup* const group : groups) {
        ids.insert(group_id_of(group->row.link));
        links.insert(group->row.template_link);
        if (std::string image = find_image_link(group->row); !image.empty())
            images.insert(std::move(image));
        for (const std::string& name : find_type_names(group->row))
            for (TypeKey& key : type_keys(group->row, name)) types.insert(std::move(key));
    }
    const auto is_unneeded = [&](const auto& entry) { return !links.contains(entry.first); };
    std::erase_if(described_, [&](const auto& entry) { return !ids.contains(entry.first); });
    std::erase_if(options_, is_unneeded);
    templates_.keep_only(links);
    types_.keep_only(types);
    images_.keep_only(images);
}

}  // namespace capstan::gce
