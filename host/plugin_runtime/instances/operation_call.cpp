#include "plugin_runtime/instances/operation_call.hpp"

#include <string>

namespace capstan::plugin_runtime::instances {

Result<void> check_askable(const PluginInstance& instance) {
    if (!instance.is_running()) return fail(ErrorCode::unavailable, "not running");
    if (const auto stuck = instance.context().strand().stuck())
        return fail(ErrorCode::unavailable, "not called while its " +
                                                std::string(loop::name_of(stuck->hook)) +
                                                " has not returned");
    return {};
}

void call_for_operation(services::HostContext& context, capstan_op op, loop::Hook hook,
                        const std::function<capstan_status()>& function) {
    if (context.operations().is_cancelled(op)) {
        context.operations().end(
            op,
            {ErrorCode::deadline, "not called: the plugin's thread was busy until the deadline"});
        return;
    }
    context.operations().answered(op, context.calls().call_on_strand(hook, function));
}

}  // namespace capstan::plugin_runtime::instances
