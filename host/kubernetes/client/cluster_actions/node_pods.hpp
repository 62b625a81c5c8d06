/// The pods of a node as the API server has them, read before the node's removal.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

#include "engine/removal/node_rechecks.hpp"
#include "kubernetes/client/open_calls.hpp"

namespace capstan::kubernetes::client {

/// A removal cannot be undone, and the cache may be out of date without a sign: a stalled watch
/// looks like a watch without changes. So the pods are read from the server. One list with limit=1
/// gives the present resourceVersion. Then one list per node, not older than that version, gives
/// the node's pods; the API server answers it from its own cache, if the cache is recent enough.
/// Used on the loop's thread alone.
class NodePods {
public:
    using Done = std::function<void(std::size_t, Result<void>)>;
    /// `pods` are the node's pods that the decision did not know, "namespace/name/uid", ascending.
    using OnUnknown =
        std::function<void(const std::string& node, const std::vector<std::string>& pods)>;
    /// Borrows `api` and `loop`. `on_unknown` is called for a node right before `done` gets its
    /// error.
    NodePods(Api& api, io::Loop& loop, OnUnknown on_unknown = {})
        : on_unknown_(std::move(on_unknown)), calls_(api, loop) {}

    /// Calls `done` once for each node, with its index in `looks`, as soon as the node's result is
    /// there. An error with the provider code engine::removal::unknown_pods names pods that the
    /// decision did not know and that a drain would count. Any other error: the server did not
    /// answer, or not with a list of pods. `done` is not called inside this call, nor after this
    /// object's destruction.
    void look(std::vector<engine::removal::NodeRecheck> looks, Done done);

private:
    struct Batch;
    void look_at(const std::shared_ptr<const Batch>& batch, std::size_t at,
                 const std::string& version);

    const OnUnknown on_unknown_;
    OpenCalls calls_;
};

}  // namespace capstan::kubernetes::client
