#include "runtime/instances/hook_call.hpp"

#include <utility>

#include <capstan/view.hpp>

#include "io/printable.hpp"
#include "runtime/instances/plugin_error.hpp"

namespace capstan::runtime {

HookCall::HookCall(Facts facts) : facts_(std::move(facts)) {
    abi_.struct_size = sizeof abi_;
    abi_.flags = facts_.flags;
    abi_.seed = facts_.seed;
    abi_.now_unix_ns = unix_ns(facts_.now);
    abi_.deadline_ns = facts_.deadline.count();
    abi_.ctx = this;
    abi_.cancelled = &cancelled;
    abi_.fail = &HookCall::fail;
    abi_.explain = &explain;
}

Result<void> HookCall::outcome(capstan_status status, std::string_view what) const {
    if (status == CAPSTAN_OK) return {};
    const std::lock_guard lock(mutex_);
    // The report counts only if it is about this failure: a hook may have recovered from an earlier
    // one.
    if (error_ && error_->code == error_code(status)) return capstan::fail(within(what, *error_));
    return capstan::fail(error_of(status, what));
}

std::vector<std::string> HookCall::take_sentences() {
    const std::lock_guard lock(mutex_);
    return std::exchange(sentences_, {});
}

std::int32_t HookCall::cancelled(const capstan_call* call) noexcept {
    const auto& is_given_up = of(call).facts_.is_given_up;
    return is_given_up && is_given_up() ? 1 : 0;
}

capstan_status HookCall::fail(const capstan_call* call, const capstan_error* error) noexcept {
    try {
        Error copy = copy_error(error);
        HookCall& self = of(call);
        const std::lock_guard lock(self.mutex_);
        self.error_ = std::move(copy);
        return static_cast<capstan_status>(self.error_->code);
    } catch (...) {  // no memory for the copy
        return CAPSTAN_E_INTERNAL;
    }
}

void HookCall::explain(const capstan_call* call, capstan_str sentence) noexcept {
    try {
        HookCall& self = of(call);
        const std::lock_guard lock(self.mutex_);
        if (self.sentences_.size() < sentences_max)
            self.sentences_.push_back(io::printable(text(sentence), sentence_bytes_max));
    } catch (...) {  // an explanation is worth less than the answer it explains
    }
}

}  // namespace capstan::runtime
