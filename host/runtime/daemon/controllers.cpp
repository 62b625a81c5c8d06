#include "runtime/daemon/controllers.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <prometheus/registry.h>

#include "runtime/daemon/watch_outage.hpp"

namespace capstan::runtime::daemon {

/// What the host counts about one controller.
class ControllerMetrics {
public:
    ControllerMetrics(std::shared_ptr<services::Metrics> metrics, const std::string& plugin)
        : metrics_(std::move(metrics)),
          reconciles_(prometheus::BuildCounter()
                          .Name("capstan_controller_reconciles_total")
                          .Help("Reconciles of a controller that came to an end, by outcome.")
                          .Register(metrics_->registry())),
          durations_(one(
              prometheus::BuildHistogram()
                  .Name("capstan_controller_reconcile_duration_seconds")
                  .Help("How long reconciles of a controller took.")
                  .Register(metrics_->registry()),
              plugin, prometheus::Histogram::BucketBoundaries{0.01, 0.1, 0.5, 1, 5, 10, 30, 60})),
          objects_(one(prometheus::BuildGauge()
                           .Name("capstan_controller_objects")
                           .Help("Objects of its own that a controller looks after.")
                           .Register(metrics_->registry()),
                       plugin)),
          problems_(one(prometheus::BuildGauge()
                            .Name("capstan_controller_problems")
                            .Help("What goes wrong with them.")
                            .Register(metrics_->registry()),
                        plugin)),
          good_(reconciles_.Add({{"plugin", plugin}, {"outcome", "done"}})),
          failed_(reconciles_.Add({{"plugin", plugin}, {"outcome", "failed"}})) {}

    void observe(const instances::ControllerStatus& status) {
        (status.error ? failed_ : good_).Increment();
        if (status.took) durations_.Observe(std::chrono::duration<double>(*status.took).count());
        if (!status.last) return;
        objects_.Set(status.last->objects);
        problems_.Set(static_cast<double>(status.last->problems.size()));
    }

private:
    template <class Metric, class... Arguments>
    static Metric& one(prometheus::Family<Metric>& family, const std::string& plugin,
                       const Arguments&... with) {
        return family.Add({{"plugin", plugin}}, with...);
    }
    const std::shared_ptr<services::Metrics> metrics_;
    prometheus::Family<prometheus::Counter>& reconciles_;
    prometheus::Histogram& durations_;
    prometheus::Gauge &objects_, &problems_;
    prometheus::Counter &good_, &failed_;
};

namespace {

/// Logs the reconciles of one controller. Used on its strand alone.
class ControllerLog {
public:
    explicit ControllerLog(const instances::PluginInstance& instance)
        : clock_(instance.context().clock()),
          log_(instance.context().log(), {.source = instance.id(),
                                          .failed = "reconcile failed",
                                          .succeeded = "reconciles succeed again"}) {}

    void observe(const instances::ControllerStatus& status) {
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

Result<void> Controllers::join(std::shared_ptr<instances::PluginInstance> instance) {
    if (std::ranges::find(ids_, instance->context().identity().id) == ids_.end()) return {};
    const auto metrics = std::make_shared<ControllerMetrics>(metrics_, instance->id());
    const auto log = std::make_shared<ControllerLog>(*instance);
    CAPSTAN_TRY(auto client,
                instances::ControllerClient::of(
                    std::move(instance), [metrics, log](const instances::ControllerStatus& status) {
                        metrics->observe(status);
                        log->observe(status);
                    }));
    const std::lock_guard lock(mutex_);
    client->lead(leads_);
    clients_.push_back(std::move(client));
    return {};
}

std::vector<std::shared_ptr<instances::ControllerClient>> Controllers::clients() const {
    const std::lock_guard lock(mutex_);
    return clients_;
}

void Controllers::lead(bool leads) {
    const std::lock_guard lock(mutex_);
    leads_ = leads;
    for (const auto& client : clients_) client->lead(leads);
}

std::optional<instances::ControllerStatus> Controllers::status(std::string_view id) const {
    for (const auto& client : clients()) {
        if (client->instance()->id() == id) return client->status();
    }
    return std::nullopt;
}

}  // namespace capstan::runtime::daemon
