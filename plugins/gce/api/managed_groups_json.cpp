#include "managed_groups_json.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <capstan/sentence.hpp>

#include "../wire/gce_error.hpp"
#include "json_fields.hpp"

namespace capstan::gce {
namespace {

std::vector<std::string> version_templates_of(const Json& json) {
    std::vector<std::string> out;
    for (const Json& version : list_field(json, "versions")) {
        std::string link = text_field(version, "instanceTemplate");
        if (!link.empty()) out.push_back(std::move(link));
    }
    return out;
}

std::map<std::string, int> actions_of(const Json& json) {
    std::map<std::string, int> out;
    const Json& actions = object_field(json, "currentActions");
    for (const auto& [name, value] : actions.members()) {
        const int count = count_field(actions, name);
        if (count > 0 && name != "none") out.emplace(name, count);
    }
    return out;
}

std::vector<std::string> zones_of_policy(const Json& policy) {
    std::vector<std::string> out;
    for (const Json& zone : list_field(policy, "zones"))
        out.emplace_back(last_part(text_field(zone, "zone")));
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<std::string> flexible_types_of(const Json& json) {
    std::vector<std::string> out;
    const Json& policy = object_field(json, "instanceFlexibilityPolicy");
    for (const auto& [name, selection] : object_field(policy, "instanceSelections").members())
        for (std::string& type : texts_field(selection, "machineTypes"))
            out.push_back(std::move(type));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

void read_placement(const Json& json, ManagedGroup& out) {
    const Json& distribution = object_field(json, "distributionPolicy");
    if (out.link.place.scope == Scope::region) {
        out.zones = zones_of_policy(distribution);
        out.shape = text_field(distribution, "targetShape");
        if (out.shape.empty()) out.shape = "EVEN";
    } else {
        out.zones = {out.link.place.name};
    }
    const Json& update = object_field(json, "updatePolicy");
    out.update_type = text_field(update, "type");
    out.replacement_method = text_field(update, "replacementMethod");
    out.redistribution = text_field(update, "instanceRedistributionType");
}

void read_state(const Json& json, ManagedGroup& out) {
    out.target_size = count_field(json, "targetSize");
    out.target_suspended = count_field(json, "targetSuspendedSize");
    out.target_stopped = count_field(json, "targetStoppedSize");
    out.actions = actions_of(json);
    const Json& status = object_field(json, "status");
    out.is_stable = truth_field(status, "isStable");
    out.autoscaler = text_field(status, "autoscaler");
    const Json& stateful = object_field(status, "stateful");
    out.is_stateful = truth_field(stateful, "hasStatefulConfig") ||
                      !object_field(json, "statefulPolicy").members().empty();
}

ManagedGroup managed_group_of(const Json& json) {
    auto link = find_link_field(json, "selfLink");
    if (!link) throw Failure(ErrorCode::unavailable, "selfLink is missing");
    ManagedGroup out{.link = *std::move(link)};
    out.link.collection = "instanceGroupManagers";
    out.id = text_field(json, "id");
    out.base_name = text_field(json, "baseInstanceName");
    out.version_templates = version_templates_of(json);
    out.template_link = text_field(json, "instanceTemplate");
    if (out.template_link.empty() && !out.version_templates.empty())
        out.template_link = out.version_templates.front();
    read_placement(json, out);
    read_state(json, out);
    out.flexible_types = flexible_types_of(json);
    return out;
}

/// "zones/us-central1-a" as a place; nullopt if the text is not a place.
std::optional<Place> place_of(std::string_view scope) {
    if (scope.starts_with("zones/")) return Place{Scope::zone, std::string(last_part(scope))};
    if (scope.starts_with("regions/")) return Place{Scope::region, std::string(last_part(scope))};
    return std::nullopt;
}

void add_unreadable(std::string_view scope, std::string message, ManagedGroups& out) {
    const std::optional<Place> place = place_of(scope);
    if (!place) return;
    const auto is_same = [&](const ManagedGroups::Unreadable& other) {
        return other.place == *place;
    };
    if (std::any_of(out.unreadable.begin(), out.unreadable.end(), is_same)) return;
    out.unreadable.push_back(
        {*place, {.code = ErrorCode::unavailable, .message = std::move(message)}});
}

/// Marks the place as unreadable, unless the warning only says that the page has no groups of it.
void read_warning(std::string_view scope, const Json& warning, ManagedGroups& out) {
    const std::string code = text_field(warning, "code");
    if (code.empty() || code == "NO_RESULTS_ON_PAGE") return;
    add_unreadable(
        scope, std::string(scope) + ": " + text_field(warning, "message") + " (" + code + ")", out);
}

/// "my-project/us-central1-a/web" of a group that could not be parsed, as far as it is known.
std::string subject_of_broken(const Json& json) {
    const Json* const link = json.find("selfLink");
    const auto parsed = parse_link(link != nullptr ? link->text() : std::string());
    if (!parsed) return {};
    return parsed->project + "/" + parsed->place.name + "/" + parsed->name;
}

void read_scope(std::string_view scope, const Json& json, ManagedGroups& out) {
    read_warning(scope, object_field(json, "warning"), out);
    std::size_t index = 0;
    for (const Json& entry : list_field(json, "instanceGroupManagers")) {
        Result<ManagedGroup> group = read_managed_group(entry);
        if (group) {
            out.groups.push_back(*std::move(group));
        } else {
            Error error = within(
                std::string(scope) + ": instanceGroupManagers[" + std::to_string(index) + "]",
                group.error());
            error.subject = subject_of_broken(entry);
            out.broken.push_back(std::move(error));
        }
        ++index;
    }
}

ManagedInstance::Fault fault_of(const Json& json) {
    return {text_field(json, "code"), text_field(json, "message")};
}

ManagedInstance managed_instance_of(const Json& json) {
    ManagedInstance out;
    // Without a link to an instance, or with a link without a name, the instance is not made yet.
    if (Result<ResourceLink> link = parse_link(text_field(json, "instance")))
        out.link = *std::move(link);
    out.id = text_field(json, "id");
    out.action = text_field(json, "currentAction");
    out.status = text_field(json, "instanceStatus");
    out.template_link = text_field(object_field(json, "version"), "instanceTemplate");
    out.machine_type = std::string(last_part(
        text_field(object_field(json, "propertiesFromFlexibilityPolicy"), "machineType")));
    const Json& errors = object_field(object_field(json, "lastAttempt"), "errors");
    for (const Json& error : list_field(errors, "errors")) out.faults.push_back(fault_of(error));
    return out;
}

ListedInstance listed_instance_of(const Json& json) {
    ListedInstance out;
    auto link = find_link_field(json, "selfLink");
    if (!link) throw Failure(ErrorCode::unavailable, "selfLink is missing");
    out.link = *std::move(link);
    out.id = text_field(json, "id");
    out.status = text_field(json, "status");
    out.machine_type = std::string(last_part(text_field(json, "machineType")));
    out.created = find_time_field(json, "creationTimestamp");
    const Json& scheduling = object_field(json, "scheduling");
    out.is_spot = truth_field(scheduling, "preemptible") ||
                  text_field(scheduling, "provisioningModel") == "SPOT";
    return out;
}

/// Parses each entry of a list by `read`; a Failure names the entry.
template <class T>
std::vector<T> read_entries(const Json& answer, std::string_view key, T (*read)(const Json&)) {
    std::vector<T> out;
    for (const Json& entry : list_field(answer, key)) {
        try {
            out.push_back(read(entry));
        } catch (const Failure& failure) {
            throw Failure(
                within(std::string(key) + "[" + std::to_string(out.size()) + "]", failure.error()));
        }
    }
    return out;
}

}  // namespace

Result<ManagedGroup> read_managed_group(const Json& json) {
    try {
        return managed_group_of(json);
    } catch (const Failure& failure) {
        return fail(failure.error());
    }
}

void read_aggregated_groups(const Json& answer, ManagedGroups& out) {
    for (const auto& [scope, json] : object_field(answer, "items").members())
        read_scope(scope, json, out);
    for (const std::string& scope : texts_field(answer, "unreachables")) {
        const std::string_view place = scope;
        const std::size_t at = place.find("zones/") != std::string_view::npos
                                   ? place.find("zones/")
                                   : place.find("regions/");
        if (at != std::string_view::npos)
            add_unreadable(place.substr(at), std::string(place.substr(at)) + " is unreachable",
                           out);
    }
}

std::vector<ManagedInstance> read_managed_instances(const Json& answer) {
    return read_entries<ManagedInstance>(answer, "managedInstances", &managed_instance_of);
}

std::vector<ListedInstance> read_listed_instances(const Json& answer) {
    return read_entries<ListedInstance>(answer, "items", &listed_instance_of);
}

}  // namespace capstan::gce
