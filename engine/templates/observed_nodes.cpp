#include "engine/templates/observed_nodes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/hash.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "engine/templates/node_taints.hpp"
#include "engine/templates/settling_nodes.hpp"
#include "engine/templates/templates.hpp"
#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine::templates {
namespace {

/// Not updated in each pass, since Memory is saved whenever it changes.
constexpr Duration noted_again_after = std::chrono::hours(1);

void add_size(std::size_t size, Hash& hash) { hash.add(static_cast<std::int64_t>(size)); }

void hash_template(const NodeTemplate& node, Hash& hash) {
    for (const std::string* text : {&node.machine_type, &node.zone, &node.arch, &node.os})
        hash.add(*text);
    for (const Labels* labels : {&node.labels, &node.annotations}) {
        add_size(labels->size(), hash);
        for (const auto& [key, value] : *labels) {
            hash.add(key);
            hash.add(value);
        }
    }
    add_size(node.taints.size(), hash);
    for (const Taint& taint : node.taints) hash.add(to_string(taint));
    for (const Resources* amounts : {&node.capacity, &node.allocatable, &node.free}) {
        add_size(amounts->size(), hash);
        for (const auto& [resource, amount] : *amounts) {
            hash.add(resource);
            hash.add(amount);
        }
    }
}

/// A short fingerprint of the group's template; absent: the cloud describes no template now.
/// Memory outlives the program, so every release has to compute the same value.
std::optional<std::string> fingerprint_of_group(const Group& group) {
    Hash hash;
    if (!group.group.template_fingerprint.empty()) {
        hash.add(group.group.template_fingerprint);
    } else if (group.described != nullptr) {
        hash_template(*group.described, hash);
    } else {
        return std::nullopt;
    }
    return std::to_string(hash.value());
}

void add_taints(const NodeTemplate& described, const NodeTraits& actual, const Settings& settings,
                std::vector<std::string>& out) {
    const std::vector<Taint> expected = lasting_taints(described.taints, settings);
    for (const Taint& taint : actual.taints) {
        const bool is_expected = std::ranges::find(expected, taint) != expected.end();
        if (!is_expected && taint.effect != Effect::prefer_no_schedule)
            out.push_back("has taint " + to_string(taint));
    }
}

void add_labels(const NodeTemplate& described, const NodeTraits& actual,
                std::vector<std::string>& out) {
    for (const auto& [key, value] : described.labels) {
        if (key == well_known::hostname_label) continue;
        const auto at = actual.labels.find(key);
        if (at == actual.labels.end()) {
            out.push_back("lacks label " + key + "=" + value);
        } else if (at->second != value) {
            out.push_back("has label " + key + "=" + at->second + " instead of " + value);
        }
    }
}

void add_amounts(const NodeTemplate& described, const NodeTraits& actual,
                 std::vector<std::string>& out) {
    const auto add = [&](const std::string& resource, std::int64_t amount) {
        const std::int64_t has = actual.allocatable.amount(resource);
        if (has < amount)
            out.push_back("has " + format_amount(resource, has) + " of " + resource +
                          " instead of " + format_amount(resource, amount));
    };
    for (const auto& [resource, amount] : described.allocatable) add(resource, amount);
    // A cloud may leave out what is allocatable. The system reserves no devices.
    for (const auto& [resource, amount] : described.capacity)
        if (is_extended(resource) && !described.allocatable.find(resource)) add(resource, amount);
}

/// The differences by which a node takes fewer pods than its cloud's template, a sentence each.
std::vector<std::string> differences(const NodeTemplate& described, const NodeTraits& actual,
                                     const Settings& settings) {
    std::vector<std::string> out;
    add_taints(described, actual, settings, out);
    add_labels(described, actual, out);
    add_amounts(described, actual, out);
    return out;
}

class GroupObserver {
public:
    GroupObserver(const Snapshot& snapshot, const Membership& membership, const Settings& settings,
                  const PassTime& time)
        : snapshot_(snapshot),
          membership_(membership),
          settings_(settings),
          time_(time),
          now_(time.now) {}

    void observe(std::size_t group, TemplateRecord& record) const {
        if (record.observed && now_ - record.observed->seen >= forgotten_after)
            record.observed.reset();
        const std::optional<NodeIndex> newest = find_newest(group, record);
        if (!newest) return record.settling.reset();
        const snapshot::NodeRow& node = snapshot_.cluster.node(*newest);
        NodeTraits traits = traits_of(snapshot_.cluster, node, settings_);
        if (record.observed && is_observed_already(node, traits, *record.observed))
            return record.settling.reset();
        settle(group, *newest, std::move(traits), record);
    }

private:
    /// Whether the record has the node's traits already. A taint that the observed node gets later,
    /// such as before an interruption, does not count: the next node will not have it.
    bool is_observed_already(const snapshot::NodeRow& node, const NodeTraits& traits,
                             ObservedNode& observed) const {
        const std::string_view name = snapshot_.cluster.text(node.name);
        if (observed.traits == traits) {
            observed.confirmed = observed.confirmed || observed.node != name;
            observed.node = name;
            if (now_ - observed.seen >= noted_again_after) observed.seen = now_;
            return true;
        }
        return observed.node == name &&
               !std::ranges::all_of(traits.taints, [&](const Taint& taint) {
                   return std::ranges::find(observed.traits.taints, taint) !=
                          observed.traits.taints.end();
               });
    }

    bool is_template_candidate(NodeIndex n, Time wall) const {
        return why_not_template_candidate(snapshot_.cluster.node(n),
                                          find_machine(snapshot_, membership_, n), wall)
            .empty();
    }

    bool awaits_readiness(const snapshot::NodeRow& node) const {
        const auto& keys = settings_.readiness_taints;
        return std::ranges::any_of(node.taints, [&](const Taint& taint) {
            return std::ranges::find(keys, taint.key) != keys.end();
        });
    }

    /// Whether the node is the one of the record, and has lost differences from the cloud's
    /// template since then without new ones: a change that another client has undone.
    bool corrects_record(const Group& group, std::string_view node, const NodeTraits& traits,
                         const TemplateRecord& record) const {
        if (!record.observed || record.observed->node != node || group.described == nullptr)
            return false;
        const auto before = differences(*group.described, record.observed->traits, settings_);
        const auto now = differences(*group.described, traits, settings_);
        return now.size() < before.size() &&
               std::ranges::all_of(
                   now,
                   [&](const std::string& difference) {
                       return std::ranges::count(before, difference) > 0;
                   });
    }

    /// Whether the node differs from the cloud's template as the record does, and the record is of
    /// another node or was confirmed before.
    bool confirms(const Group& group, std::string_view node, const NodeTraits& traits,
                  const ObservedNode& observed) const {
        return (observed.confirmed || observed.node != node) && group.described != nullptr &&
               differences(*group.described, traits, settings_) ==
                   differences(*group.described, observed.traits, settings_);
    }

    /// The newest node that is ready, even if only since a moment ago.
    std::optional<NodeIndex> find_newest(std::size_t group, const TemplateRecord& record) const {
        std::optional<NodeIndex> out;
        for (const NodeIndex n : membership_.nodes[group]) {
            const snapshot::NodeRow& node = snapshot_.cluster.node(n);
            const bool counts =
                is_template_candidate(n, time_.wall + stabilization_delay) &&
                !awaits_readiness(node) &&
                is_of_template(node, find_machine(snapshot_, membership_, n), record, time_);
            if (counts && (!out || node.created > snapshot_.cluster.node(*out).created)) out = n;
        }
        return out;
    }

    /// Stores the traits in the record once they have been the same for `stabilization_delay`.
    void settle(std::size_t group, NodeIndex n, NodeTraits traits, TemplateRecord& record) const {
        const snapshot::NodeRow& node = snapshot_.cluster.node(n);
        if (!record.settling || record.settling->traits != traits) {
            record.settling.reset();
            const bool is_young = time_.wall - node.created <= settings_.max_node_startup_time;
            const std::string_view name = snapshot_.cluster.text(node.name);
            if (is_young || corrects_record((*snapshot_.groups)[group], name, traits, record))
                record.settling = {.traits = std::move(traits), .since = now_};
            return;
        }
        if (now_ - record.settling->since < stabilization_delay ||
            !is_template_candidate(n, time_.wall) ||
            awaits_promise(snapshot_.cluster, n, (*snapshot_.groups)[group],
                           record.observed ? &*record.observed : nullptr, settings_, time_.wall))
            return;
        const std::string_view name = snapshot_.cluster.text(node.name);
        const bool confirmed =
            record.observed && confirms((*snapshot_.groups)[group], name, traits, *record.observed);
        record.observed = {.node = std::string(name),
                           .traits = std::move(traits),
                           .seen = now_,
                           .confirmed = confirmed};
        record.settling.reset();
    }

    const Snapshot& snapshot_;
    const Membership& membership_;
    const Settings& settings_;
    PassTime time_;
    Time now_;
};

}  // namespace

NodeTraits traits_of(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                     const Settings& settings) {
    NodeTraits out{.labels = snapshot::to_labels(cluster, node.labels),
                   .taints = lasting_taints({node.taints.begin(), node.taints.end()}, settings),
                   .capacity = *node.capacity,
                   .allocatable = *node.allocatable};
    out.labels.erase(std::string(well_known::hostname_label));
    return out;
}

Memory remember_templates(Memory memory, const Snapshot& snapshot, const Membership& membership,
                          const Settings& settings, const PassTime& time) {
    TemplateRecords before = std::exchange(memory.templates, {});
    const GroupObserver observer(snapshot, membership, settings, time);
    for (std::size_t g = 0; g < snapshot.groups->size(); ++g) {
        const Group& group = (*snapshot.groups)[g];
        const NodeGroupId& id = group.group.id;
        const std::optional<std::string> fingerprint = fingerprint_of_group(group);
        const auto last = before.find(id);
        TemplateRecord record{.fingerprint = fingerprint.value_or(""), .since = time.now};
        if (last != before.end()) {
            const bool is_same = !fingerprint || *fingerprint == last->second.fingerprint;
            if (is_same)
                record = std::move(last->second);
            else
                record.has_changed = !last->second.fingerprint.empty();
        }
        if (settings.template_source == TemplateSource::mixed) {
            observer.observe(g, record);
        } else {
            record.settling.reset();
            record.observed.reset();
        }
        memory.templates.emplace_hint(memory.templates.end(), id, std::move(record));
    }
    return memory;
}

bool is_of_template(const snapshot::NodeRow& node, const Machine* machine,
                    const TemplateRecord& record, const PassTime& time) noexcept {
    const bool is_launched = machine != nullptr && machine->launched;
    const Time begun = is_launched ? std::min(*machine->launched, node.created) : node.created;
    return time.measured(begun) >= record.since;
}

std::optional<Time> next_observation(const Memory& memory, bool has_pending_pods,
                                     Time now) noexcept {
    std::optional<Time> out;
    const auto add = [&](Time since, Duration length) {
        if (since > Time::max() - length || since + length <= now) return;
        out = std::min(out.value_or(since + length), since + length);
    };
    for (const auto& [group, record] : memory.templates) {
        if (record.settling) add(record.settling->since, stabilization_delay);
        if (!has_pending_pods) continue;
        if (record.observed) add(record.observed->seen, forgotten_after);
        for (const auto& [spec, refused] : record.refused) add(refused.since, forgotten_after);
    }
    return out;
}

NodeTraits without_damage(const NodeTemplate& described, NodeTraits traits,
                          const Settings& settings) {
    const std::vector<Taint> expected = lasting_taints(described.taints, settings);
    std::erase_if(traits.taints, [&](const Taint& taint) {
        return taint.effect != Effect::prefer_no_schedule &&
               std::ranges::find(expected, taint) == expected.end();
    });
    for (const auto& [key, value] : described.labels) {
        if (key != well_known::hostname_label) traits.labels.insert_or_assign(key, value);
    }
    const auto raise = [](Resources& amounts, const std::string& resource, std::int64_t amount) {
        if (is_extended(resource))
            amounts.set(resource, std::max(amounts.amount(resource), amount));
    };
    for (const auto& [resource, amount] : described.capacity) {
        raise(traits.capacity, resource, amount);
        raise(traits.allocatable, resource, described.allocatable.find(resource).value_or(amount));
    }
    return traits;
}

std::string how_it_differs(const NodeTemplate& described, const NodeTraits& actual,
                           const Settings& settings) {
    const std::vector<std::string> out = differences(described, actual, settings);
    return listed(out, [](const std::string& one) { return one; }, 3);
}

}  // namespace capstan::engine::templates
