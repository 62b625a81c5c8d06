/// The capstan_call of `check` and `create`, and calls of asynchronous functions of a plugin.
#pragma once

#include <functional>
#include <optional>

#include <capstan/abi/call.h>
#include <capstan/error.hpp>

#include "plugin_runtime/instances/instance.hpp"
#include "plugin_runtime/loop/guarded_call.hpp"

namespace capstan::plugin_runtime::instances {

/// A capstan_call without deadline and seed, which keeps the error that the plugin reports. Neither
/// copyable nor movable: the plugin has its address during the call. [load]
class LoadCall {
public:
    LoadCall() {
        abi_.struct_size = sizeof abi_;
        abi_.deadline_ns = INT64_MAX;
        abi_.ctx = this;
        abi_.cancelled = [](const capstan_call*) noexcept { return std::int32_t{0}; };
        abi_.fail = [](const capstan_call* call, const capstan_error* error) noexcept {
            return static_cast<LoadCall*>(call->ctx)->note(error);
        };
        abi_.explain = [](const capstan_call*, capstan_str) noexcept {};
    }
    LoadCall(const LoadCall&) = delete;
    LoadCall& operator=(const LoadCall&) = delete;

    const capstan_call* abi() const noexcept { return &abi_; }
    /// The error that the plugin has reported, or one that names `status` if it has reported none.
    Error error(capstan_status status) const {
        if (error_) return *error_;
        const ErrorCode code = error_code(status);
        return {code, "failed without a reason (" + std::string(name_of(code)) + ")"};
    }

private:
    capstan_status note(const capstan_error* error) noexcept {
        try {
            error_ = loop::copy_error(error);
        } catch (...) {  // no memory for the message: the status is kept alone
        }
        return CAPSTAN_REACHES(error, capstan_error, code) ? error->code : CAPSTAN_E_INTERNAL;
    }
    capstan_call abi_{};
    std::optional<Error> error_;
};

// An asynchronous function of a plugin, called for an operation that is open.

/// Whether the instance may be called. `unavailable`: it does not run, or an earlier call of it is
/// stuck. [host's side]
Result<void> check_askable(const PluginInstance& instance);

/// Calls `function`. A status other than CAPSTAN_OK, or an exception, ends the operation. If the
/// operation was cancelled before, it ends without a call. [the instance's strand]
void call_for_operation(services::HostContext& context, capstan_op op, loop::Hook hook,
                        const std::function<capstan_status()>& function);

}  // namespace capstan::plugin_runtime::instances
