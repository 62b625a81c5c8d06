#include "autoscaler/daemon/controllers.hpp"

#include <algorithm>
#include <utility>

#include "autoscaler/daemon/controller_metrics.hpp"
#include "autoscaler/daemon/watch_outage.hpp"

namespace capstan::autoscaler::daemon {

namespace {

/// Logs the reconciles of one controller. Used on its strand alone.
class ControllerLog {
public:
    explicit ControllerLog(const plugin_runtime::instances::PluginInstance& instance)
        : clock_(instance.context().clock()),
          log_(instance.context().log(), {.source = instance.id(),
                                          .failed = "reconcile failed",
                                          .succeeded = "reconciles succeed again"}) {}

    void observe(const plugin_runtime::instances::ControllerStatus& status) {
        if (!status.error) return log_.succeeded(clock_.monotonic());
        // One that was under way when this host stopped leading.
        if (status.error->code != ErrorCode::cancelled)
            log_.failed(*status.error, clock_.monotonic());
    }

private:
    const io::Clock& clock_;
    FailureLog log_;
};

}  // namespace

Result<std::unique_ptr<Controllers>> Controllers::make(const config::Pipeline& pipeline,
                                                       PluginHost& host) {
    std::unique_ptr<Controllers> out(new Controllers(pipeline.controllers, host.shared_metrics()));
    for (const PluginInstanceId& id : pipeline.controllers)
        if (auto instance = host.find(id)) CAPSTAN_CHECK(out->join(std::move(instance)));
    return out;
}

Controllers::~Controllers() { lead(false); }

Result<void> Controllers::join(
    std::shared_ptr<plugin_runtime::instances::PluginInstance> instance) {
    if (std::ranges::find(ids_, instance->context().identity().id) == ids_.end()) return {};
    const auto metrics = std::make_shared<ControllerMetrics>(metrics_, instance->id());
    const auto log = std::make_shared<ControllerLog>(*instance);
    CAPSTAN_TRY(auto client,
                plugin_runtime::instances::ControllerClient::of(
                    std::move(instance),
                    [metrics, log](const plugin_runtime::instances::ControllerStatus& status) {
                        metrics->observe(status);
                        log->observe(status);
                    }));
    const std::lock_guard lock(mutex_);
    client->lead(leads_);
    clients_.push_back(std::move(client));
    return {};
}

std::vector<std::shared_ptr<plugin_runtime::instances::ControllerClient>> Controllers::clients()
    const {
    const std::lock_guard lock(mutex_);
    return clients_;
}

void Controllers::lead(bool leads) {
    const std::lock_guard lock(mutex_);
    leads_ = leads;
    for (const auto& client : clients_) client->lead(leads);
}

std::optional<plugin_runtime::instances::ControllerStatus> Controllers::status(
    std::string_view id) const {
    for (const auto& client : clients()) {
        if (client->instance()->id() == id) return client->status();
    }
    return std::nullopt;
}

}  // namespace capstan::autoscaler::daemon
