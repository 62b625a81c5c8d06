/// The controllers of the pipeline: calls them while this host leads, and reports their status.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/plugin_host.hpp"
#include "config/pipeline.hpp"
#include "plugin_runtime/instances/controller_client.hpp"

namespace capstan::autoscaler::daemon {

/// [any thread]
class Controllers {
public:
    /// With the controllers that have started; the others are added by `join`. `internal`: an
    /// instance is no controller.
    static Result<std::unique_ptr<Controllers>> make(const config::Pipeline& pipeline,
                                                     PluginHost& host);
    Controllers(const Controllers&) = delete;
    Controllers& operator=(const Controllers&) = delete;
    /// Controllers are not called any more; calls under way are cancelled.
    ~Controllers();

    /// Adds an instance that has started, if it is a controller of the pipeline.
    Result<void> join(std::shared_ptr<plugin_runtime::instances::PluginInstance> instance);
    /// This host begins to lead, or leads no longer.
    void lead(bool leads);
    /// Absent: the pipeline has no such controller.
    std::optional<plugin_runtime::instances::ControllerStatus> status(std::string_view id) const;

private:
    Controllers(std::vector<PluginInstanceId> ids,
                std::shared_ptr<plugin_runtime::services::Metrics> metrics)
        : ids_(std::move(ids)), metrics_(std::move(metrics)) {}
    std::vector<std::shared_ptr<plugin_runtime::instances::ControllerClient>> clients() const;

    const std::vector<PluginInstanceId> ids_;
    const std::shared_ptr<plugin_runtime::services::Metrics> metrics_;
    mutable std::mutex mutex_;  ///< guards what follows
    std::vector<std::shared_ptr<plugin_runtime::instances::ControllerClient>> clients_;
    bool leads_ = false;
};

}  // namespace capstan::autoscaler::daemon
