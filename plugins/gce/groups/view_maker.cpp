#include "view_maker.hpp"

#include <vector>

#include <capstan/sentence.hpp>

#include "../wire/resource_ids.hpp"
#include "group_checks.hpp"

namespace capstan::gce {
namespace {

/// The price of a machine of type `type`, or of the template's own type if `type` is empty. Another
/// type of a flexibility policy is priced by its name alone.
std::optional<Price> price_of_node(const PriceTable& prices, const InstanceTemplate& made_from,
                                   const std::optional<GceMachineType>& own_type,
                                   const std::string& type, bool spot) {
    if (type.empty() || type == made_from.machine_type)
        return prices.find(made_from, own_type, spot);
    InstanceTemplate other = made_from;
    other.machine_type = type;
    return prices.find(other, std::nullopt, spot);
}

std::vector<std::string> zones_of_view(const ManagedGroup& row) {
    if (row.link.place.scope == Scope::zone) return {row.link.place.name};
    return row.zones;
}

}  // namespace

CloudView ViewMaker::make(const PriceTable* prices) {
    CloudView out;
    for (const auto& [id, listed] : lists_.groups())
        if (listed.takes_part()) add(id, listed, prices, out);
    // A list that was never read has no known groups to mark unreadable; it is only incomplete.
    std::vector<std::string> failures = lists_.find_failures();
    out.complete = out.unreadable.empty() && failures.empty();
    warnings_.set("lists", std::move(failures));
    return out;
}

void ViewMaker::add(const std::string& id, const ListedGroup& listed, const PriceTable* prices,
                    CloudView& out) {
    if (listed.unreadable) {
        out.unreadable.push_back(*listed.unreadable);
    } else if (listed.list.unreadable) {
        out.unreadable.push_back(*listed.list.unreadable);
    }
    if (!listed.was_read) return add_unread(id, listed, out);
    if (auto obstacle = find_obstacle(listed.row))
        return leave_out(id, listed, *std::move(obstacle), out);
    GroupContext context{.id = id, .listed = listed, .prices = prices};
    context.made_from = templates_.find_template(listed.row.template_link);
    context.fingerprint = templates_.fingerprint(listed);
    context.type = templates_.find_type(listed.row);
    out.groups.push_back(make_group(context));
    warn_of_group(context);
    for (const GroupMachine& machine : listed.list.machines) {
        Machine& made = out.machines.emplace_back(make_machine(context, machine));
        // Google preempts a spot machine by stopping it.
        if (machine.status.stops)
            made.leaves =
                Leaving{.reason = made.spot.value_or(false) ? LeaveReason::spot_interruption
                                                            : LeaveReason::other};
    }
}

void ViewMaker::add_unread(const std::string& id, const ListedGroup& listed, CloudView& out) const {
    NodeGroup& group = out.groups.emplace_back();
    group.id = NodeGroupId(id);
    group.min = listed.limits().min;
    group.max = listed.limits().max;
}

/// A group that the settings name is expected in the view, so it stays there as unreadable.
void ViewMaker::leave_out(const std::string& id, const ListedGroup& listed, Error why,
                          CloudView& out) {
    if (listed.choice.origin != Origin::named)
        return warnings_.set(id, why.message + "; the group is ignored");
    add_unread(id, listed, out);
    why.subject = id;
    if (!listed.unreadable) out.unreadable.push_back(std::move(why));
}

void ViewMaker::warn_of_group(const GroupContext& context) {
    std::vector<std::string> sentences = find_notes(context.listed.row);
    const KubeEnvOptions* const options = templates_.find_options(context.listed.row.template_link);
    if (options != nullptr) {
        for (const std::string& warning : options->warnings)
            sentences.push_back("group " + in_quotes(context.id) + ": " + warning);
    }
    warnings_.set(context.id, std::move(sentences));
}

NodeGroup ViewMaker::make_group(GroupContext& context) {
    const ManagedGroup& row = context.listed.row;
    const GroupLimits limits = context.listed.limits();
    NodeGroup out;
    out.id = NodeGroupId(context.id);
    out.min = limits.min;
    out.max = limits.max;
    out.target = row.target_size;
    out.autoprovisioned = context.listed.is_made.value_or(false);
    out.template_fingerprint = context.fingerprint;
    out.debug =
        context.id + " (" + std::to_string(limits.min) + ":" + std::to_string(limits.max) + ")";
    out.zones = zones_of_view(row);
    const Error* const error = templates_.find_template_error(row.template_link);
    if (error != nullptr && error->code == ErrorCode::not_found) {
        out.healthy = false;
        out.health_reason = "its instance template does not exist: " + error->message;
    }
    if (context.made_from == nullptr) return out;
    out.tags = context.made_from->labels;
    out.spot = context.made_from->is_spot;
    if (context.prices != nullptr) {
        const std::string type =
            row.flexible_types.empty() ? std::string() : row.flexible_types.front();
        out.price = price_of_node(*context.prices, *context.made_from, context.type, type,
                                  context.made_from->is_spot);
    }
    if (const KubeEnvOptions* const options = templates_.find_options(row.template_link))
        out.options = options->options;
    return out;
}

Machine ViewMaker::make_machine(GroupContext& context, const GroupMachine& machine) const {
    const ManagedGroup& row = context.listed.row;
    const bool is_current = machine.template_link == row.template_link;
    Machine out;
    out.id = MachineId(machine_id_of(machine.link));
    if (machine.status.membership != Membership::non_member) out.group = NodeGroupId(context.id);
    out.state = machine.status.state;
    out.machine_type = machine.machine_type;
    out.zone = machine.link.place.name;
    out.launched = machine.launched;
    out.error = machine.fault;
    out.spot = machine.spot;
    out.template_fingerprint = TemplateReader::fingerprint(machine, row, context.fingerprint);
    if (context.made_from == nullptr) return out;
    if (is_current && row.flexible_types.empty() && out.machine_type.empty())
        out.machine_type = context.made_from->machine_type;
    if (is_current && !out.spot) out.spot = context.made_from->is_spot;
    if (context.prices == nullptr || !out.spot || out.machine_type.empty()) return out;
    const auto [price, is_new] =
        context.known_prices.try_emplace({out.machine_type, *out.spot}, std::nullopt);
    auto& known = price->second;
    if (is_new)
        known = price_of_node(*context.prices, *context.made_from, context.type, out.machine_type,
                              *out.spot);
    if (known) out.price_per_hour = known->per_hour;
    return out;
}

}  // namespace capstan::gce
