/// The pods of a node as they are now, for what cannot be taken back.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

#include "engine/removal/node_looks.hpp"
#include "kubernetes/client/open_calls.hpp"

namespace capstan::kubernetes::client {

/// A cache follows watches, and a silent watch looks like one in which nothing happens. This asks:
/// once for the version that the pods have come to, by the smallest list there is, then for each
/// node's pods not older than that, which the API server has at hand. Used on the loop's thread
/// alone.
class NodePods {
public:
    using Done = std::function<void(std::size_t, Result<void>)>;
    /// Pods that a look does not know, "namespace/name/uid", ascending.
    using OnUnknown =
        std::function<void(const std::string& node, const std::vector<std::string>& pods)>;
    /// Borrows both. `on_unknown` is told of a node right before `done` gets its error.
    NodePods(Api& api, io::Loop& loop, OnUnknown on_unknown = {})
        : on_unknown_(std::move(on_unknown)), calls_(api, loop) {}

    /// `done` gets the place of each node in `looks`, as soon as it is known. An error: no answer
    /// came; or, with the provider code engine::unknown_pods, which pods are there that the look
    /// does not know and a drain would count. `done` is not called inside this, nor once this
    /// object is gone.
    void look(std::vector<engine::removal::NodeLook> looks, Done done);

private:
    struct Batch;
    void look_at(const std::shared_ptr<const Batch>& batch, std::size_t at,
                 const std::string& version);

    const OnUnknown on_unknown_;
    OpenCalls calls_;
};

}  // namespace capstan::kubernetes::client
