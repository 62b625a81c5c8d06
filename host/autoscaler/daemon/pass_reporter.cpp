#include "autoscaler/daemon/pass_reporter.hpp"

#include <utility>

#include <boost/asio/post.hpp>

namespace capstan::autoscaler::daemon {

void PassReporter::begun() {
    failures_.forget();
    observable_.metrics.term_began();
    const Time wall = host_.loop().clock()->wall();
    write_status(initializing_text("Initializing", wall), wall);
}

void PassReporter::on_begin() {
    const Duration now = host_.loop().monotonic();
    observable_.health.pass_began(now);
    const Time wall = host_.loop().clock()->wall();
    observable_.metrics.pass_began(wall, now);
    observable_.snapshot->pass_began(wall);
}

void PassReporter::on_pass(const std::shared_ptr<const PassReport>& pass) {
    observable_.snapshot->pass_ended(pass.get(), host_.loop().clock()->wall());
    log_.log(*pass);
    observable_.history.put(pass);
    observable_.metrics.set_memory_unwritten(!pass->unwritten_because.empty());
    if (!pass->dropped_because.empty()) return;
    failures_.succeeded(host_.loop().monotonic());
    observable_.health.pass_succeeded(host_.loop().monotonic());
    const engine::health::Health health = health_after(*pass);
    observable_.metrics.observe(*pass, health);
    ClusterStatus status = status_.make(*pass, health);
    status.config = observable_.config.status();
    write_status(status_text(status), pass->wall_at());
    boost::asio::post(host_.loop().io(), [services = services_, events = events_, pass,
                                          unhealthy = health.unhealthy_because] {
        const auto about = services->status() != nullptr ? services->status()->reference()
                                                         : kubernetes::client::ObjectReference{};
        events->report(*pass, about, unhealthy, services->link().cluster_cache(),
                       services->events());
    });
}

void PassReporter::on_skip() {
    failures_.succeeded(host_.loop().monotonic());
    observable_.health.pass_succeeded(host_.loop().monotonic());
    observable_.metrics.pass_skipped(host_.loop().clock()->wall());
}

void PassReporter::on_failure(const Error& error, Duration took) {
    observable_.snapshot->pass_ended(nullptr, host_.loop().clock()->wall());
    failures_.failed(error, host_.loop().monotonic());
    const bool is_ours = error.code == ErrorCode::internal;
    observable_.metrics.pass_failed(is_ours ? "internalError" : "apiCallError", took);
}

void PassReporter::write_status(std::string text, Time wall) {
    boost::asio::post(host_.loop().io(), [services = services_, text = std::move(text), wall] {
        if (services->status() != nullptr && services->leadership().term())
            services->status()->write(text, wall);
    });
}

}  // namespace capstan::autoscaler::daemon
