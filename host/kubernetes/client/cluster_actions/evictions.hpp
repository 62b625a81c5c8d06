/// Evicts pods through the eviction API, which respects disruption budgets.
#pragma once

#include <functional>

#include <capstan/result.hpp>

#include "engine/actions.hpp"
#include "kubernetes/client/open_calls.hpp"

namespace capstan::kubernetes::client {

/// An eviction is requested once and never retried here: the next decision may request it again.
/// Used on the loop's thread alone.
class Evictions {
public:
    using Done = std::function<void(Result<void>)>;
    /// Borrows `api` and `loop`.
    Evictions(Api& api, io::Loop& loop) : calls_(api, loop) {}

    /// A value: the API server accepted the eviction, and the pod terminates soon. `not_found`: the
    /// pod does not exist, or the pod of that name has another uid. `throttled`: a budget does not
    /// allow the eviction now (provider_code "DisruptionBudget", the subject is the budget's
    /// "namespace/name" if the server names it), or the server's own rate limit does not.
    /// `unsupported`: more than one budget covers the pod, which the API rejects; an operator has
    /// to change one of them. `done` is not called inside this call, nor after this object's
    /// destruction.
    void evict(const engine::Eviction& eviction, Done done);

private:
    void check_identity(const engine::Eviction& eviction, Error conflict, Done done);

    OpenCalls calls_;
};

}  // namespace capstan::kubernetes::client
