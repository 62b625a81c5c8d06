// The interface beside a cloud that makes and deletes groups: what would come of a plan.
#include <utility>

#include <capstan/from_abi_provisioning.hpp>
#include <capstan/to_abi_provisioning.hpp>

#include "runtime/instances/cloud_client.hpp"
#include "runtime/instances/cloud_companion.hpp"
#include "runtime/loop/plugin_time.hpp"

namespace capstan::runtime {
namespace {

/// Takes the one answer; raised while the plugin still lends it.
class NewGroupSink {
public:
    NewGroupSink() {
        raw_ = {sizeof raw_, 0, this,
                [](const capstan_new_group_response* out, const capstan_group* group,
                   const capstan_template* node) noexcept {
                    static_cast<NewGroupSink*>(out->ctx)->take(group, node);
                }};
    }
    NewGroupSink(const NewGroupSink&) = delete;
    NewGroupSink& operator=(const NewGroupSink&) = delete;

    const capstan_new_group_response* raw() const noexcept { return &raw_; }
    /// What the plugin answered, or what is wrong with that.
    Result<PlannedGroup> answer() && {
        if (answers_ != 1)
            return fail(ErrorCode::internal, "answered " + std::to_string(answers_) + " times");
        return std::move(planned_);
    }

private:
    void take(const capstan_group* group, const capstan_template* node) noexcept {
        const PluginTime::Paused copying;
        try {
            if (++answers_ == 1) planned_ = from_abi(group, node);
        } catch (...) {
            answers_ = 0;
        }
    }
    static Result<PlannedGroup> from_abi(const capstan_group* group, const capstan_template* node) {
        if (group == nullptr || node == nullptr)
            return fail(ErrorCode::internal, "answered a group or template that is NULL");
        PlannedGroup out;
        CAPSTAN_TRY(out.group, group_from_abi(*group));
        CAPSTAN_TRY(out.node, template_from_abi(*node));
        return out;
    }

    capstan_new_group_response raw_{};
    int answers_ = 0;
    Result<PlannedGroup> planned_{PlannedGroup()};
};

}  // namespace

Result<PlannedGroup> ask_new_group(const std::shared_ptr<PluginInstance>& cloud,
                                   const GroupPlan& plan,
                                   const engine::Circumstances& circumstances, PassWatch& watch) {
    CAPSTAN_TRY(const auto* const table, find_companion<capstan_cloud_autoprovision>(
                                             cloud, CAPSTAN_INTERFACE_AUTOPROVISION, watch));
    ProvisioningAbiArena arena;
    const capstan_group_plan crossing = arena.to_abi(plan);
    NewGroupSink sink;
    CAPSTAN_CHECK(
        call_hook(*cloud, Hook::new_group, circumstances, watch, [&](const capstan_call* call) {
            return distrusted(table->new_group)(table->self, call, &crossing, sink.raw());
        }));
    Result<PlannedGroup> planned = std::move(sink).answer();
    if (!planned) return contract_breach(*cloud, Hook::new_group, planned.error().message);
    return planned;
}

}  // namespace capstan::runtime
