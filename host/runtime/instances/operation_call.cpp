#include "runtime/instances/operation_call.hpp"

#include <string>

namespace capstan::runtime::instances {

Result<void> check_askable(const PluginInstance& instance) {
    if (!instance.is_running()) return fail(ErrorCode::unavailable, "it is not running");
    if (const auto stuck = instance.context().strand().stuck())
        return fail(
            ErrorCode::unavailable,
            "not asked while its " + std::string(loop::name_of(stuck->hook)) + " does not return");
    return {};
}

void call_for_operation(services::HostContext& context, capstan_op op, loop::Hook hook,
                        const std::function<capstan_status()>& function) {
    if (context.operations().is_cancelled(op)) {
        context.operations().end(
            op, {ErrorCode::deadline, "not asked: the instance's thread was not free in time"});
        return;
    }
    context.operations().answered(op, context.calls().call_on_strand(hook, function));
}

}  // namespace capstan::runtime::instances
