/// The capstan_call of `check` and `create`: no deadline a clock would know, no seed, and an ear
/// for errors.
#pragma once

#include <functional>
#include <optional>

#include <capstan/abi/call.h>
#include <capstan/error.hpp>

#include "runtime/instances/instance.hpp"
#include "runtime/loop/guarded_call.hpp"

namespace capstan::runtime::instances {

/// Neither copied nor moved: the plugin holds its address during the call. [load]
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
    /// What the plugin reported, or a sentence about `status` when it reported nothing.
    Error error(capstan_status status) const {
        if (error_) return *error_;
        const ErrorCode code = error_code(status);
        return {code, "failed without a reason (" + std::string(name_of(code)) + ")"};
    }

private:
    capstan_status note(const capstan_error* error) noexcept {
        try {
            error_ = loop::copy_error(error);
        } catch (...) {  // no memory for the reason: the status alone must do
        }
        return CAPSTAN_REACHES(error, capstan_error, code) ? error->code : CAPSTAN_E_INTERNAL;
    }
    capstan_call abi_{};
    std::optional<Error> error_;
};

// An asynchronous function of a plugin, called for an operation that is open.

/// `unavailable`: an instance is not asked while it does not run, or while an earlier call of it
/// does not return. [host's side]
Result<void> check_askable(const PluginInstance& instance);

/// Calls `function` and closes the operation by what the function returns; an operation that was
/// given up on meanwhile is closed without a call. [the instance's strand]
void call_for_operation(services::HostContext& context, capstan_op op, loop::Hook hook,
                        const std::function<capstan_status()>& function);

}  // namespace capstan::runtime::instances
