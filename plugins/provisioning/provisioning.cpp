#include "provisioning.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <capstan/detail/int128.hpp>
#include <capstan/from_abi_pods.hpp>
#include <capstan/from_abi_provisioning.hpp>
#include <capstan/sentence.hpp>

#include "group_names.hpp"
#include "label_sets.hpp"
#include "node_requirements.hpp"

namespace capstan::provisioning {
namespace {

std::string text_of(const Labels& labels) {
    std::string out;
    for (const auto& [key, value] : labels) out += (out.empty() ? "" : ", ") + key + "=" + value;
    return out;
}

std::string reason_for(const LabelSet& set) {
    const Labels& labels = set.requirements.labels;
    const bool all_require_all = set.most_popular_pods == set.pods;
    std::string out = "for " + counted(set.pods, "pod");
    if (!labels.empty() && all_require_all)
        out += (set.pods == 1 ? " that requires " : " that require ") + text_of(labels);
    if (!labels.empty() && !all_require_all)
        out += (labels.size() == 1 ? ", with label " : ", with labels ") + text_of(labels);
    for (const Taint& taint : set.requirements.taints)
        out += ", dedicated by taint " + to_string(taint);
    if (!all_require_all) {
        out += "; " + std::to_string(set.most_popular_pods) +
               (set.most_popular_pods == 1 ? " of them requires " : " of them require ") +
               (set.most_popular_labels.empty() ? "no further label"
                                                : text_of(set.most_popular_labels));
    }
    return out;
}

std::int64_t gpus_of(const Resources& capacity) {
    std::int64_t out = 0;
    for (const auto& [resource, amount] : capacity) {
        if (resource.ends_with("/gpu") || resource.starts_with("gpu.intel.com/"))
            out = detail::saturated(detail::Int128{out} + amount);
    }
    return out;
}

std::int64_t share_of(const Resources& capacity, std::string_view resource) {
    if (resource == "nodes") return 1;
    return resource == "gpu" ? gpus_of(capacity) : capacity.amount(resource);
}

/// The first limit that has no room for one machine, as a sentence.
std::optional<std::string> find_limit(const Resources& capacity, const Resources& room) {
    for (const auto& [resource, left] : room) {
        const std::int64_t needed = share_of(capacity, resource);
        if (needed <= 0 || needed <= left) continue;
        return "max cluster " + resource + " limit reached: " + format_amount(resource, left) +
               " left, a new node needs " + format_amount(resource, needed);
    }
    return std::nullopt;
}

/// Machine types that the settings name and the cloud does not offer.
std::vector<std::string> find_unoffered(const Situation& situation, const Config& config) {
    std::vector<std::string> out;
    for (const std::string& name : config.machine_types) {
        if (std::ranges::find(situation.machines, name, &MachineType::name) ==
            situation.machines.end())
            out.push_back(name);
    }
    return out;
}

std::string unoffered_reason(const Situation& situation, const std::string& name) {
    const auto name_of = [](const MachineType& type) { return type.name; };
    return "machine_types contains " + in_quotes(name) +
           ", which the cloud does not offer; it offers " +
           (situation.machines.empty() ? "none" : listed(situation.machines, name_of));
}

/// Why a machine type is not suggested. The reason closest to fitting the pods comes first.
enum class Miss : std::uint8_t {
    limit,         ///< a cluster limit has no room for a machine; a smaller machine is nearer
    group_limit,   ///< the cluster has max_groups groups
    too_small,     ///< the machine is too small for every pod; a larger machine is nearer
    other_pods,    ///< labels or taints of the machine keep all pods off
    offers,        ///< it is offered in no zone, or only in zones and on terms that are not used
    not_on_offer,  ///< machine_types names it, and the cloud does not have it
    not_named      ///< machine_types does not name it
};

struct Obstacle {
    Miss miss{};
    std::string because{};
    std::int64_t cpu = 0;  ///< of the machine
};

bool is_nearer(const Obstacle& a, const Obstacle& b) {
    if (a.miss != b.miss) return a.miss < b.miss;
    return a.miss == Miss::too_small ? a.cpu > b.cpu : a.cpu < b.cpu;
}

struct LeftOutType {
    std::string type{};
    Obstacle obstacle{};
};

/// Suggests all groups that could be made of one machine type.
class TypeSuggester {
public:
    TypeSuggester(const MachineType& type, const Situation& situation, const Config& config,
                  std::set<std::string>& names, Suggestions& out,
                  std::vector<LeftOutType>& left_out)
        : type_(type),
          situation_(situation),
          config_(config),
          names_(names),
          out_(out),
          left_out_(left_out) {}

    void run() {
        if (auto obstacle = find_obstacle()) return leave_out(*std::move(obstacle));
        const std::size_t before = out_.groups.size();
        for (const MachineOffering& offer : type_.offerings) {
            if (is_wanted(offer)) suggest(offer);
        }
        if (left_over_ > 0) {
            leave_out({Miss::other_pods, counted(left_over_, "pod") +
                                             " would need label sets beyond the " +
                                             counted(max_sets, "most popular set")});
        }
        if (out_.groups.size() > before) return;
        if (nearest_) return leave_out(*std::move(nearest_));
        leave_out(
            {Miss::offers, "not offered in the configured zones, or only as spot or on demand"});
    }

private:
    std::optional<Obstacle> find_obstacle() const {
        const auto& allowed = config_.machine_types;
        if (!allowed.empty() && !allowed.contains(type_.name))
            return Obstacle{Miss::not_named, "not in machine_types"};
        if (situation_.groups >= config_.max_groups)
            return Obstacle{Miss::group_limit,
                            "max_groups reached: " + std::to_string(situation_.groups) + " of " +
                                std::to_string(config_.max_groups)};
        if (type_.offerings.empty())
            return Obstacle{Miss::offers, "the cloud offers it in no zone"};
        if (auto limit = find_limit(type_.capacity, situation_.room))
            return Obstacle{Miss::limit, *std::move(limit)};
        return std::nullopt;
    }
    bool is_wanted(const MachineOffering& offer) const {
        if (offer.spot ? config_.spot == Spot::never : config_.spot == Spot::only) return false;
        return config_.zones.empty() || config_.zones.contains(offer.zone);
    }
    void suggest(const MachineOffering& offer) {
        const UnlabelledNode node = make_unlabelled_node(type_, offer);
        const std::vector<PodRequirements> fitting_pods = find_fitting_pods(node);
        std::int64_t left_over = 0;
        for (const PodRequirements& each : fitting_pods) left_over += each.pods->count;
        for (LabelSet& set : make_label_sets(node, fitting_pods, config_)) {
            left_over -= set.pods;
            GroupPlan plan{.machine_type = type_.name,
                           .zone = offer.zone,
                           .spot = offer.spot,
                           .labels = set.requirements.labels,
                           .taints = set.requirements.taints};
            plan.name = make_group_name(config_.prefix, situation_.cloud, plan);
            // When the hashes of two plans are equal, the first one is suggested.
            if (!names_.insert(plan.name).second) continue;
            out_.groups.push_back({std::move(plan), reason_for(set)});
        }
        left_over_ = std::max(left_over_, left_over);
    }
    /// Pods that fit on the empty node once it has the labels they require.
    std::vector<PodRequirements> find_fitting_pods(const UnlabelledNode& node) {
        std::vector<PodRequirements> out;
        for (const PodEquivalenceGroup& pods : situation_.pods) {
            if (auto requirements = find_requirements(node, pods, config_.dedicated)) {
                out.push_back({&pods, *std::move(requirements)});
            } else {
                note_refusal(pods, requirements.error());
            }
        }
        return out;
    }
    /// Remembers why pods do not fit, if that is a nearer miss than all before.
    void note_refusal(const PodEquivalenceGroup& pods, const Error& why) {
        const Miss miss =
            why.code == ErrorCode::out_of_capacity ? Miss::too_small : Miss::other_pods;
        if (nearest_ && nearest_->miss <= miss) return;
        nearest_ = Obstacle{miss, "no pod fits on a new machine; " + pods.ns + "/" + pods.example +
                                      ": " + why.message};
    }
    void leave_out(Obstacle obstacle) {
        obstacle.cpu = type_.capacity.amount("cpu");
        left_out_.push_back({type_.name, std::move(obstacle)});
    }

    const MachineType& type_;
    const Situation& situation_;
    const Config& config_;
    std::set<std::string>& names_;  ///< names of all groups suggested so far, of any type
    Suggestions& out_;
    std::vector<LeftOutType>& left_out_;
    std::optional<Obstacle> nearest_{};  ///< the reason closest to fitting, of pods that do not fit
    std::int64_t left_over_ = 0;  ///< pods in none of the label sets; of the offering with the most
};

template <class T>
T demand(Result<T> result) {
    if (!result) throw Failure(std::move(result).error());
    return *std::move(result);
}

}  // namespace

Suggestions suggest_groups(const Situation& situation, const Config& config) {
    Suggestions out;
    std::set<std::string> names;
    std::vector<LeftOutType> left_out;
    for (const MachineType& type : situation.machines)
        TypeSuggester(type, situation, config, names, out, left_out).run();
    for (const std::string& name : find_unoffered(situation, config))
        left_out.push_back({name, {Miss::not_on_offer, unoffered_reason(situation, name)}});
    std::ranges::stable_sort(left_out, is_nearer, &LeftOutType::obstacle);
    for (auto& [type, obstacle] : left_out)
        out.left_out.push_back({std::move(type), std::move(obstacle.because)});
    return out;
}

void Provisioning::suggest(const Call& call, const GroupSourceRequest& request,
                           const GroupSuggestions& suggest) const {
    suggest.limit_groups(config_.max_groups);
    std::vector<PodEquivalenceGroup> pods;
    for (const PodEquivalenceGroupView view : request.pods())
        pods.push_back(demand(equivalence_group_from_abi(view.raw())));
    std::vector<MachineType> machines;
    for (const MachineTypeView view : request.machines())
        machines.push_back(demand(machine_type_from_abi(view.raw())));
    const Suggestions found = suggest_groups({.pods = pods,
                                              .machines = machines,
                                              .groups = static_cast<int>(request.existing().size()),
                                              .room = Resources(request.room()),
                                              .cloud = request.cloud()},
                                             config_);
    for (const auto& [plan, because] : found.groups) suggest(plan, because);
    for (const auto& [type, because] : found.left_out) suggest.leave_out(type, because);
    call.explain(counted(static_cast<std::int64_t>(found.groups.size()), "group") + " of " +
                 counted(static_cast<std::int64_t>(machines.size()), "machine type") +
                 " suggested, " + std::to_string(found.left_out.size()) + " types excluded");
}

bool Provisioning::owns(const Call& /*call*/, const GroupView& group) const {
    return has_prefix(group.id(), config_.prefix);
}

}  // namespace capstan::provisioning
