#include "replicas.hpp"

#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>

#include "status.hpp"

namespace capstan::replicas {
namespace {

/// What one Balancer may need at the least; the next reconcile goes on with the others.
constexpr Duration share_of_time = std::chrono::seconds(20);

const Target& target_of(const Balancer& balancer, const std::string& name) {
    return *std::ranges::find(balancer.targets, name, &Target::name);
}

}  // namespace

Replicas::Replicas(Host host, Config config)
    : host_(host),
      config_(std::move(config)),
      scales_(host),
      teller_(host),
      followed_(host, {.ns = config_.ns,
                       .on_news = [this] { want_soon(); },
                       .on_gone = [this](const Entry& entry) { teller_.forget(entry); }}) {}

/// Refused is only what comes too late.
void Replicas::want_soon() const {
    const Result<void> asked = want_reconcile(host_, config_.debounce);
    if (!asked) host_.debug(asked.error().message);
}

void Replicas::reconfigure(Config config) {
    config_ = std::move(config);
    followed_.book().soil_all();
    want_soon();
}

Task<Reconciled> Replicas::reconcile(Reconcile what) {
    const Time began = host_.now();
    if (!followed_.is_complete()) co_return report();
    Book& book = followed_.book();
    if (what.is_first || !looked_at_all_ || began - *looked_at_all_ >= config_.resync) {
        book.soil_all();
        looked_at_all_ = began;
    }
    book.soil_due(began);
    if (what.is_first) book.forget_told();
    const std::vector<std::shared_ptr<Entry>> dirty = book.dirty();
    for (const std::shared_ptr<Entry>& entry : dirty) {
        if (host_.now() - began > share_of_time) break;
        if (!entry->is_gone) co_await look_after(entry);
    }
    co_return report();
}

Reconciled Replicas::report() const {
    const Book& book = followed_.book();
    Reconciled out{.objects = static_cast<int>(book.entries().size()),
                   .problems = followed_.problems()};
    if (!followed_.is_complete()) {
        out.summary = "waits until all Balancers and pods have been seen";
        return out;
    }
    std::size_t troubled = 0;
    for (const auto& [path, entry] : book.entries()) {
        if (entry->now.empty()) continue;
        ++troubled;
        Error error{ErrorCode::unavailable, troubles_text(entry->now)};
        error.subject = path;
        out.problems.push_back(std::move(error));
    }
    out.summary = "looks after " + counted(out.objects, "Balancer") + ", " +
                  std::to_string(troubled) + " of them in trouble";
    const Time now = host_.now();
    Time next = looked_at_all_.value_or(now) + config_.resync;
    next = std::min(next, book.next_due().value_or(next));
    if (!book.dirty().empty()) next = now;
    out.again_in = std::max(next - now, Duration::zero());
    return out;
}

Task<void> Replicas::look_after(std::shared_ptr<Entry> entry) {
    entry->is_dirty = false;
    Turn turn{.entry = entry, .balancer = entry->balancer};
    co_await read_targets(turn);
    // Changed or deleted meanwhile: then its turn comes again, or never.
    if (entry->is_dirty || entry->is_gone) co_return;
    turn.decision = decide(turn.balancer, turn.readings, followed_.pods(), config_, host_.now());
    entry->next_due = turn.decision.next_due;
    co_await carry_out(turn);
    entry->now = turn.decision.troubles;
    teller_.tell(*entry, turn.decision, turn.done);
    co_await write_status(turn);
}

Task<void> Replicas::read_targets(Turn& turn) {
    for (const Target& target : turn.balancer.targets) {
        Reading reading;
        auto& known = turn.entry->scales;
        if (const auto at = known.find(target.ref); at != known.end()) reading.before = at->second;
        try {
            reading.scale = co_await scales_.read(turn.balancer.ns, target.ref);
        } catch (const Failure& failure) {
            reading.error = failure.error();
        }
        if (reading.error && reading.error->code == ErrorCode::cancelled) {
            turn.entry->is_dirty = true;
            throw Failure(*std::move(reading.error));
        }
        if (reading.scale) {
            followed_.follow(reading.scale->resource);
            known[target.ref] = *reading.scale;
        }
        turn.readings.push_back(std::move(reading));
    }
}

/// Growth first; what of it failed is not taken from others either.
Task<void> Replicas::carry_out(Turn& turn) {
    std::int64_t failed = turn.decision.stuck;
    const Steps steps = turn.decision.steps;
    for (const Step& step : steps.grow) {
        if (!co_await write(turn, step)) failed += step.to - step.from;
    }
    const std::vector<Step> shrink = hold_back(steps.shrink, failed);
    for (const Step& step : shrink) co_await write(turn, step);
}

/// In a dry run, and once the lead is lost, what is not written is no trouble of the Balancer's.
Task<bool> Replicas::write(Turn& turn, Step step) {
    std::optional<Error> failed;
    const ScaleRef& ref = target_of(turn.balancer, step.name).ref;
    Scale& scale = turn.entry->scales.at(ref);
    try {
        scale = co_await scales_.write(turn.balancer.ns, ref, scale, step.to);
    } catch (const Failure& failure) {
        failed = failure.error();
    }
    teller_.count_write(failed ? name_of(failed->code) : "done");
    Decision& decision = turn.decision;
    if (!failed) {
        std::ranges::find(decision.targets, step.name, &TargetState::name)->replicas = step.to;
        turn.done.push_back(std::move(step));
    } else if (failed->code == ErrorCode::cancelled) {
        host_.info("balancer " + turn.balancer.path() + ": would scale " + step.name + " from " +
                   std::to_string(step.from) + " to " + std::to_string(step.to));
    } else {
        decision.troubles.push_back(
            {Phase::writing, "target " + step.name + ": " + failed->message});
    }
    co_return !failed;
}

Task<void> Replicas::write_status(Turn& turn) {
    Entry& entry = *turn.entry;
    Json status = make_status(turn.balancer, turn.decision, host_.now());
    // The second: this server keeps less of it than was written.
    const bool is_known =
        is_same(status, entry.balancer.status) || (entry.status && is_same(status, *entry.status));
    if (is_known) co_return;
    std::optional<Error> failed;
    std::string body = to_string(Json::object({{"status", status}}));
    try {
        KubeRequest request =
            KubeRequest::patch(balancer_resource(), turn.balancer.ns, turn.balancer.name,
                               KubePatch::merge, std::move(body))
                .below("status");
        co_await send(host_, std::move(request));
    } catch (const Failure& failure) {
        failed = failure.error();
    }
    const bool is_over =
        failed && (failed->code == ErrorCode::cancelled || failed->code == ErrorCode::not_found);
    if (!failed) {
        entry.status = status;
        entry.balancer.status = std::move(status);
    } else if (!is_over) {
        entry.now.push_back({Phase::writing, "its status: " + failed->message});
        host_.warn("balancer " + turn.balancer.path() + ": status: " + failed->message);
    }
}

}  // namespace capstan::replicas
