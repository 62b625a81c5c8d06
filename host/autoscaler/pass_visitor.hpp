/// How a pass is told of: log, Events, status, history, metrics and simulations are visitors.
#pragma once

#include <memory>
#include <vector>

#include <capstan/error.hpp>

#include "autoscaler/clouds.hpp"
#include "autoscaler/pass_report.hpp"

namespace capstan::autoscaler {

/// Is told of each pass while it runs. A pass begins with on_begin and ends with on_pass, on_skip
/// or on_failure. [the thread of the passes]
class PassVisitor {
public:
    virtual ~PassVisitor() = default;
    virtual void on_begin() {}
    /// The clouds were refreshed. `groups`: their groups as the pass will see them.
    virtual void on_refresh(const CloudsView&,
                            const std::shared_ptr<const std::vector<engine::Group>>&) {}
    /// A decision was made; nothing has been carried out.
    virtual void on_decision(const PassReport&) {}
    /// The decision was carried out; its results are not in the memory yet.
    virtual void on_results(const PassReport&) {}
    /// The decision was carried out and its results were remembered, or it was dropped.
    virtual void on_pass(const std::shared_ptr<const PassReport>&) {}
    /// The pass saw what the last one saw, so it decided nothing.
    virtual void on_skip() {}
    /// Nothing could be decided. `took`: since on_begin.
    virtual void on_failure(const Error&, Duration) {}
};

}  // namespace capstan::autoscaler
