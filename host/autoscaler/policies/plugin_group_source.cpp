#include <algorithm>
#include <set>
#include <utility>

#include <capstan/from_abi_provisioning.hpp>
#include <capstan/sentence.hpp>
#include <capstan/to_abi_provisioning.hpp>
#include <capstan/utf8.hpp>

#include "autoscaler/policies/pass_call.hpp"
#include "autoscaler/policies/plugin_policies.hpp"
#include "plugin_runtime/instances/hook_call.hpp"
#include "plugin_runtime/loop/plugin_time.hpp"

namespace capstan::autoscaler::policies {

namespace {

constexpr std::size_t most_groups_kept = 100'000;

/// Takes the plugin's answers, and remembers the first breach of the contract.
class SuggestSink {
public:
    explicit SuggestSink(std::span<const MachineType> machines) : machines_(machines) {
        raw_ = {sizeof raw_,
                0,
                this,
                [](const capstan_group_source_response* out, const capstan_group_plan* plan,
                   capstan_str because) noexcept { of(out).suggest(plan, because); },
                [](const capstan_group_source_response* out, capstan_str machine_type,
                   capstan_str because) noexcept { of(out).leave_out(machine_type, because); },
                [](const capstan_group_source_response* out, std::int32_t most) noexcept {
                    of(out).limit(most);
                }};
    }
    SuggestSink(const SuggestSink&) = delete;
    SuggestSink& operator=(const SuggestSink&) = delete;

    const capstan_group_source_response* raw() const noexcept { return &raw_; }
    const std::string& breach() const noexcept { return breach_; }
    engine::GroupsAnswer take() { return std::move(answer_); }

private:
    static SuggestSink& of(const capstan_group_source_response* out) noexcept {
        return *static_cast<SuggestSink*>(out->ctx);
    }
    template <class F>
    void guard(F body) noexcept {
        const plugin_runtime::loop::PluginTime::Paused copying;
        try {
            if (breach_.empty()) body();
        } catch (...) {
            breach_ = "returned too much data";
        }
    }
    void suggest(const capstan_group_plan* raw, capstan_str because) noexcept {
        guard([&] {
            if (raw == nullptr) return refuse("suggested NULL");
            Result<GroupPlan> plan = group_plan_from_abi(*raw);
            if (!plan) return refuse("suggested a group whose " + plan.error().message);
            if (!names_.insert(plan->name).second)
                return refuse("suggested group " + in_quotes(plan->name) + " twice");
            if (!is_on_offer(*plan))
                return refuse("suggested group " + in_quotes(plan->name) +
                              ", whose machine is not on offer");
            if (names_.size() > most_groups_kept)
                return refuse("suggested more than " + std::to_string(most_groups_kept) +
                              " groups");
            answer_.groups.push_back({*std::move(plan), clean(because)});
        });
    }
    void leave_out(capstan_str machine_type, capstan_str because) noexcept {
        guard([&] {
            if (answer_.left_out.size() < most_groups_kept)
                answer_.left_out.push_back({clean(machine_type), clean(because)});
        });
    }
    void limit(std::int32_t most) noexcept {
        guard([&] {
            if (most < 0) return refuse("limited groups to " + std::to_string(most));
            answer_.most_groups = most;
        });
    }
    bool is_on_offer(const GroupPlan& plan) const {
        const auto type =
            std::ranges::lower_bound(machines_, plan.machine_type, {}, &MachineType::name);
        if (type == machines_.end() || type->name != plan.machine_type) return false;
        return std::ranges::any_of(type->offerings, [&](const MachineOffering& offer) {
            return offer.zone == plan.zone && offer.spot == plan.spot;
        });
    }
    static std::string clean(capstan_str text) {
        return capstan::clean_utf8(capstan::text(text), 1024);
    }
    void refuse(std::string what) { breach_ = std::move(what); }

    std::span<const MachineType> machines_;
    capstan_group_source_response raw_{};
    engine::GroupsAnswer answer_;
    std::set<std::string> names_;
    std::string breach_;
};

/// The question in the structs of the C boundary. Borrows from `question`.
struct AbiGroups {
    explicit AbiGroups(const engine::GroupsQuestion& question)
        : pods(question.pods.begin(), question.pods.end()),
          machines(question.machines.begin(), question.machines.end()) {
        groups.reserve(question.existing.size());
        templates.reserve(question.existing.size());
        for (const auto& [group, node] : question.existing) {
            groups.push_back(arena.to_abi(*group));
            if (node != nullptr) templates.push_back(arena.to_abi(*node));
            existing.push_back({sizeof(capstan_existing_group), 0, &groups.back(),
                                node != nullptr ? &templates.back() : nullptr});
        }
        in = {sizeof in,
              0,
              arena.list(pods),
              arena.list(machines),
              array_of(existing),
              arena.list(question.room),
              str(question.cloud.value())};
    }
    ProvisioningAbiArena arena;
    const std::vector<PodEquivalenceGroup> pods;
    const std::vector<MachineType> machines;
    std::vector<capstan_group> groups;
    std::vector<capstan_template> templates;
    std::vector<capstan_existing_group> existing;
    capstan_group_source_request in{};
};

}  // namespace

Result<std::unique_ptr<PluginGroupSource>> PluginGroupSource::make(
    std::shared_ptr<plugin_runtime::instances::PluginInstance> instance,
    plugin_runtime::instances::PassWatch& watch) {
    CAPSTAN_TRY(const auto plugin, PluginPolicy<capstan_group_source>::of(
                                       std::move(instance), CAPSTAN_KIND_GROUP_SOURCE, watch));
    return std::unique_ptr<PluginGroupSource>(new PluginGroupSource(plugin));
}

Result<engine::GroupsAnswer> PluginGroupSource::suggest(const engine::GroupsQuestion& question,
                                                        const engine::CallContext& call_context) {
    const AbiGroups crossing(question);
    SuggestSink sink(question.machines);
    const capstan_group_source& table = plugin_.table();
    CAPSTAN_TRY(std::vector<std::string> sentences,
                call_hook(plugin_.instance(), plugin_runtime::loop::Hook::suggest,
                          call_of(call_context), plugin_.watch(), [&](const capstan_call* call) {
                              return plugin_runtime::loop::distrusted(table.suggest)(
                                  table.self, call, &crossing.in, sink.raw());
                          }));
    if (!sink.breach().empty())
        return contract_breach(plugin_.instance(), plugin_runtime::loop::Hook::suggest,
                               sink.breach());
    engine::GroupsAnswer out = sink.take();
    out.sentences = std::move(sentences);
    return out;
}

Result<bool> PluginGroupSource::owns(const NodeGroup& group,
                                     const engine::CallContext& call_context) {
    AbiArena arena;
    const capstan_group crossing = arena.to_abi(group);
    std::int32_t owns = 0;
    const capstan_group_source& table = plugin_.table();
    CAPSTAN_CHECK(call_hook(plugin_.instance(), plugin_runtime::loop::Hook::owns,
                            call_of(call_context), plugin_.watch(), [&](const capstan_call* call) {
                                return plugin_runtime::loop::distrusted(table.owns)(
                                    table.self, call, &crossing, &owns);
                            }));
    return owns != 0;
}

}  // namespace capstan::autoscaler::policies
