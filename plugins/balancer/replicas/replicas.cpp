#include "replicas.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <capstan/sentence.hpp>

#include "status.hpp"

namespace capstan::replicas {
namespace {

/// After these no other Balancer has its turn, no other target of one is read, and none written:
/// the next reconcile goes on. With a last request each, all that is within the minute that a
/// reconcile may take.
constexpr Duration time_for_turns = std::chrono::seconds(5);
constexpr Duration time_to_read = std::chrono::seconds(10),
                   time_to_write = std::chrono::seconds(25);

Failure out_of_time(const char* what, const Target& target) {
    return {ErrorCode::deadline, std::string(what) + target.ref.kind + " " + target.ref.name +
                                     ": no time was left, for others did not answer"};
}

const Target& target_of(const Balancer& balancer, const std::string& name) {
    return *std::ranges::find(balancer.targets, name, &Target::name);
}

}  // namespace

Replicas::Replicas(Host host, Config config)
    : host_(host),
      config_(std::move(config)),
      scales_(host),
      reporter_(host),
      informers_(host, {.ns = config_.ns,
                        .on_news = [this] { want_soon(); },
                        .on_gone = [this](const Entry& entry) { reporter_.forget(entry); }}) {}

/// Refused is only what comes too late.
void Replicas::want_soon() const {
    const Result<void> asked = want_reconcile(host_, config_.debounce);
    if (!asked) host_.debug(asked.error().message);
}

void Replicas::reconfigure(Config config) {
    config_ = std::move(config);
    informers_.book().mark_all_dirty();
    want_soon();
}

Task<Reconciled> Replicas::reconcile(Reconcile what) {
    const Duration began = host_.monotonic();
    if (!informers_.is_complete()) co_return report();
    BalancerCache& book = informers_.book();
    if (what.is_first || !looked_at_all_ || began - *looked_at_all_ >= config_.resync) {
        book.mark_all_dirty();
        looked_at_all_ = began;
    }
    book.soil_due(host_.now());
    if (what.is_first) book.forget_told();
    const std::vector<std::shared_ptr<Entry>> dirty = book.dirty();
    for (const std::shared_ptr<Entry>& entry : dirty) {
        if (host_.monotonic() - began > time_for_turns) break;
        if (!entry->is_gone) co_await look_after(entry);
    }
    co_return report();
}

Reconciled Replicas::report() const {
    const BalancerCache& book = informers_.book();
    Reconciled out{.objects = static_cast<int>(book.entries().size()),
                   .problems = informers_.problems()};
    if (!informers_.is_complete()) {
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
    const Duration now = host_.monotonic();
    Duration next = looked_at_all_.value_or(now) + config_.resync - now;
    if (const auto due = book.next_due()) next = std::min(next, *due - host_.now());
    if (!book.dirty().empty()) next = Duration::zero();
    out.again_in = std::max(next, Duration::zero());
    return out;
}

Task<void> Replicas::look_after(std::shared_ptr<Entry> entry) {
    entry->is_dirty = false;
    entry->last_turn = ++turns_;
    Turn turn{.entry = entry, .balancer = entry->balancer, .began = host_.monotonic()};
    yield_to_owners(turn.balancer);
    co_await read_targets(turn);
    // Changed or deleted meanwhile: then its turn comes again, or never.
    if (entry->is_dirty || entry->is_gone) co_return;
    turn.decision = decide(turn.balancer, turn.readings, informers_.pods(), config_, host_.now());
    entry->next_due = turn.decision.next_due;
    co_await carry_out(turn);
    if (entry->is_gone) co_return;
    entry->now = turn.decision.troubles;
    reporter_.tell(*entry, turn.decision, turn.done);
    co_await write_status(turn);
}

/// Two Balancers would pull a target to and fro for ever.
void Replicas::yield_to_owners(Balancer& balancer) const {
    std::erase_if(balancer.targets, [&](const Target& target) {
        const Balancer* const owner = informers_.book().find_elder(balancer, target);
        if (owner == nullptr) return false;
        balancer.troubles.push_back(
            {Phase::spec, "target " + target.name + " is ignored: " + target.ref.kind + " " +
                              target.ref.name + " is a target of Balancer " + owner->name +
                              ", which is older"});
        return true;
    });
}

/// Those that did not answer last time come last, so that they cost the others no time.
Task<void> Replicas::read_targets(Turn& turn) {
    const std::vector<Target>& targets = turn.balancer.targets;
    turn.readings.resize(targets.size());
    const std::set<ScaleRef> silent = turn.entry->silent;
    for (const bool was_silent : {false, true}) {
        for (std::size_t i = 0; i < targets.size(); ++i) {
            if (silent.contains(targets[i].ref) != was_silent) continue;
            turn.readings[i] = co_await read_target(turn, targets[i]);
        }
    }
}

Task<Reading> Replicas::read_target(Turn& turn, const Target& target) {
    Reading reading;
    auto& known = turn.entry->scales;
    if (const auto at = known.find(target.ref); at != known.end()) reading.before = at->second;
    const bool is_asked = !is_late(turn, time_to_read);
    try {
        if (!is_asked) throw out_of_time("read the scale of ", target);
        reading.scale = co_await scales_.read(turn.balancer.ns, target.ref);
    } catch (const Failure& failure) {
        reading.error = failure.error();
    }
    const ErrorCode code = reading.error ? reading.error->code : ErrorCode::internal;
    if (code == ErrorCode::cancelled) {
        turn.entry->is_dirty = true;
        throw Failure(*std::move(reading.error));
    }
    if (is_asked && code == ErrorCode::deadline) turn.entry->silent.insert(target.ref);
    if (code == ErrorCode::not_found) known.erase(target.ref);
    if (reading.scale) {
        informers_.follow(reading.scale->resource);
        known[target.ref] = *reading.scale;
        turn.entry->silent.erase(target.ref);
    }
    co_return reading;
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
    if (turn.entry->is_gone) co_return false;
    std::optional<Error> failed;
    const Target& target = target_of(turn.balancer, step.name);
    const ScaleRef& ref = target.ref;
    Scale& scale = turn.entry->scales.at(ref);
    try {
        if (is_late(turn, time_to_write)) throw out_of_time("scale ", target);
        scale = co_await scales_.write(turn.balancer.ns, ref, scale, step.to);
    } catch (const Failure& failure) {
        failed = failure.error();
    }
    reporter_.count_write(failed ? name_of(failed->code) : "done");
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
                .below("status")
                .within(time_to_read);
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
