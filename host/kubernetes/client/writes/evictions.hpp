/// Evicts pods, so that disruption budgets hold.
#pragma once

#include <functional>

#include <capstan/result.hpp>

#include "engine/actions.hpp"
#include "kubernetes/client/open_calls.hpp"

namespace capstan::kubernetes::client {

/// Each eviction is asked for once: the next decision may ask again. Used on the loop's thread
/// alone.
class Evictions {
public:
    using Done = std::function<void(Result<void>)>;
    /// Borrows both.
    Evictions(Api& api, io::Loop& loop) : calls_(api, loop) {}

    /// A value: the API server took it; the pod is about to go.
    /// `not_found`: there is no such pod, or the one of that name has another uid.
    /// `throttled`: a budget does not allow it now (provider_code "DisruptionBudget", the subject
    /// is the budget's "namespace/name" where the server names it), or the API asks for patience.
    /// `unsupported`: more than one budget has a say over the pod, which the API does not take;
    /// an operator has to change one of them. `done` is not called inside this, nor once this
    /// object is gone.
    void evict(const engine::Eviction& eviction, Done done);

private:
    void check_identity(const engine::Eviction& eviction, Error conflict, Done done);

    OpenCalls calls_;
};

}  // namespace capstan::kubernetes::client
