#include "runtime/daemon/pass_teller.hpp"

#include <utility>

#include <boost/asio/post.hpp>

#include "runtime/daemon/pass_events.hpp"

namespace capstan::runtime {

void PassTeller::begun() {
    failures_.forget();
    const Time now = host_.loop().clock()->now();
    write_status(initializing_text("Initializing", now), now);
}

void PassTeller::pass_began() {
    shown_.health.pass_began(host_.loop().monotonic());
    const Time now = host_.loop().clock()->now();
    shown_.metrics.pass_began(now);
    shown_.snapshot->pass_began(now);
}

void PassTeller::tell(const std::shared_ptr<const PassReport>& pass) {
    shown_.snapshot->pass_ended(pass.get(), host_.loop().clock()->now());
    log_.tell(*pass);
    shown_.board.put(pass);
    if (!pass->dropped_because.empty()) return;
    failures_.succeeded(host_.loop().monotonic());
    shown_.health.pass_succeeded(host_.loop().monotonic());
    const engine::Health health = health_after(*pass);
    shown_.metrics.observe(*pass, health);
    write_status(status_text(status_.make(*pass, health)), pass->at);
    boost::asio::post(
        host_.loop().io(), [beside = beside_, pass, unhealthy = health.unhealthy_because] {
            const auto about = beside->status() != nullptr ? beside->status()->reference()
                                                           : kubernetes::ObjectReference{};
            for (const kubernetes::EventNote& note : events_of(*pass, about, unhealthy))
                if (!note.about.name.empty()) beside->events().record(note);
        });
}

void PassTeller::failed(const Error& error, Duration took) {
    shown_.snapshot->pass_ended(nullptr, host_.loop().clock()->now());
    failures_.failed(error, host_.loop().monotonic());
    const bool is_ours = error.code == ErrorCode::internal;
    shown_.metrics.pass_failed(is_ours ? "internalError" : "apiCallError", took);
}

void PassTeller::write_status(std::string text, Time now) {
    boost::asio::post(host_.loop().io(), [beside = beside_, text = std::move(text), now] {
        if (beside->status() != nullptr && beside->leadership().term())
            beside->status()->write(text, now);
    });
}

}  // namespace capstan::runtime
