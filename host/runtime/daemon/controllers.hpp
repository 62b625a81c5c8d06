/// The controllers of a daemon: who of them is called, and what is told of them.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/config/pipeline.hpp"
#include "runtime/instances/controller_client.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::runtime {

/// [any thread]
class Controllers {
public:
    /// `internal`: the pipeline names an instance that is not there.
    static Result<std::unique_ptr<Controllers>> make(const Pipeline& pipeline, PluginHost& host);
    Controllers(const Controllers&) = delete;
    Controllers& operator=(const Controllers&) = delete;
    /// They are called no more; what is under way is cancelled.
    ~Controllers();

    /// This host begins to lead, or leads no longer.
    void lead(bool leads);
    /// Nothing: it is no controller of the pipeline.
    std::optional<ControllerStatus> status(std::string_view id) const;

private:
    Controllers() = default;

    std::vector<std::shared_ptr<ControllerClient>> clients_;
};

}  // namespace capstan::runtime
