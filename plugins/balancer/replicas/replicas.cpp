#include "replicas.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <capstan/sentence.hpp>

#include "status.hpp"

namespace capstan::replicas {
namespace {

/// No turn begins later than this in a reconcile; the next reconcile continues.
constexpr Duration time_for_turns = std::chrono::seconds(5);
/// No target is read, and none is written, later than this in a turn. Together with one last
/// request each, all of them stay within the minute that a reconcile may take.
constexpr Duration time_to_read = std::chrono::seconds(10),
                   time_to_write = std::chrono::seconds(25);

Failure out_of_time(const char* what, const Target& target) {
    return {ErrorCode::deadline, std::string(what) + target.ref.kind + " " + target.ref.name +
                                     ": not attempted: earlier requests used all the time"};
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

/// The host refuses this only when the instance is about to stop.
void Replicas::want_soon() const {
    const Result<void> asked = want_reconcile(host_, config_.debounce);
    if (!asked) host_.debug(asked.error().message);
}

void Replicas::reconfigure(Config config) {
    config_ = std::move(config);
    informers_.cache().mark_all_dirty();
    want_soon();
}

Task<Reconciled> Replicas::reconcile(Reconcile what) {
    const Duration began = host_.monotonic();
    if (!informers_.is_complete()) co_return report();
    BalancerCache& cache = informers_.cache();
    if (what.is_first || !last_resync_ || began - *last_resync_ >= config_.resync) {
        cache.mark_all_dirty();
        last_resync_ = began;
    }
    cache.mark_due_dirty(host_.now());
    if (what.is_first) cache.forget_reported();
    const std::vector<std::shared_ptr<Entry>> dirty = cache.dirty();
    for (const std::shared_ptr<Entry>& entry : dirty) {
        if (host_.monotonic() - began > time_for_turns) break;
        if (!entry->is_gone) co_await reconcile_one(entry);
    }
    co_return report();
}

Reconciled Replicas::report() const {
    const BalancerCache& cache = informers_.cache();
    Reconciled out{.objects = static_cast<int>(cache.entries().size()),
                   .problems = informers_.problems()};
    if (!informers_.is_complete()) {
        out.summary = "waiting for the lists of Balancers and pods";
        return out;
    }
    std::size_t troubled = 0;
    for (const auto& [path, entry] : cache.entries()) {
        if (entry->problems.empty()) continue;
        ++troubled;
        Error error{ErrorCode::unavailable, problems_text(entry->problems)};
        error.subject = path;
        out.problems.push_back(std::move(error));
    }
    out.summary = "manages " + counted(out.objects, "Balancer") + ", " + std::to_string(troubled) +
                  " with problems";
    const Duration now = host_.monotonic();
    Duration next = last_resync_.value_or(now) + config_.resync - now;
    if (const auto due = cache.next_due()) next = std::min(next, *due - host_.now());
    if (!cache.dirty().empty()) next = Duration::zero();
    out.again_in = std::max(next, Duration::zero());
    return out;
}

Task<void> Replicas::reconcile_one(std::shared_ptr<Entry> entry) {
    entry->is_dirty = false;
    entry->last_turn = ++turns_;
    Turn turn{.entry = entry, .balancer = entry->balancer, .began = host_.monotonic()};
    yield_to_owners(turn.balancer);
    co_await read_targets(turn);
    // The Balancer was changed, and has another turn, or it was deleted.
    if (entry->is_dirty || entry->is_gone) co_return;
    turn.decision = decide(turn.balancer, turn.readings, informers_.pods(), config_, host_.now());
    entry->next_due = turn.decision.next_due;
    co_await carry_out(turn);
    if (entry->is_gone) co_return;
    entry->problems = turn.decision.problems;
    reporter_.report(*entry, turn.decision, turn.done);
    co_await write_status(turn);
}

/// Drops the targets that an older Balancer has, too: two Balancers that scale one target would
/// undo each other's writes for ever.
void Replicas::yield_to_owners(Balancer& balancer) const {
    std::erase_if(balancer.targets, [&](const Target& target) {
        const Balancer* const owner = informers_.cache().find_older_owner(balancer, target);
        if (owner == nullptr) return false;
        balancer.problems.push_back(
            {Phase::spec, "target " + target.name + " is ignored: " + target.ref.kind + " " +
                              target.ref.name + " is a target of Balancer " + owner->name +
                              ", which is older"});
        return true;
    });
}

/// Targets that did not answer last time are read last, so that they take no time from the others.
Task<void> Replicas::read_targets(Turn& turn) {
    const std::vector<Target>& targets = turn.balancer.targets;
    turn.readings.resize(targets.size());
    const std::set<ScaleRef> unresponsive = turn.entry->unresponsive;
    for (const bool was_silent : {false, true}) {
        for (std::size_t i = 0; i < targets.size(); ++i) {
            if (unresponsive.contains(targets[i].ref) != was_silent) continue;
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
        if (failure.error().code == ErrorCode::cancelled) {
            turn.entry->is_dirty = true;
            throw;
        }
        reading.error = failure.error();
    }
    const ErrorCode code = reading.error ? reading.error->code : ErrorCode::internal;
    if (is_asked && code == ErrorCode::deadline) turn.entry->unresponsive.insert(target.ref);
    if (code == ErrorCode::not_found) known.erase(target.ref);
    if (reading.scale) {
        informers_.follow(reading.scale->resource);
        known[target.ref] = *reading.scale;
        turn.entry->unresponsive.erase(target.ref);
    }
    co_return reading;
}

/// Writes growth first. As many replicas as could not be added are not removed elsewhere either.
Task<void> Replicas::carry_out(Turn& turn) {
    std::int64_t failed = turn.decision.stuck;
    const Steps steps = turn.decision.steps;
    for (const Step& step : steps.grow) {
        if (!co_await write(turn, step)) failed += step.to - step.from;
    }
    const std::vector<Step> shrink = shrink_less(steps.shrink, failed);
    for (const Step& step : shrink) co_await write(turn, step);
}

/// False: not written. In a dry run, and when this process is no longer the leader, that is no
/// problem of the Balancer.
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
        decision.problems.push_back(
            {Phase::writing, "target " + step.name + ": " + failed->message});
    }
    co_return !failed;
}

Task<void> Replicas::write_status(Turn& turn) {
    Entry& entry = *turn.entry;
    Json status = make_status(turn.balancer, turn.decision, host_.now());
    // The second comparison is for an API server that drops fields, whose status never equals ours.
    const bool is_known = is_same(status, entry.balancer.status) ||
                          (entry.written_status && is_same(status, *entry.written_status));
    if (is_known) co_return;
    std::optional<Error> failed;
    std::string body = to_string(Json::object({{"status", status}}));
    try {
        KubeRequest request =
            KubeRequest::patch(balancer_resource(), turn.balancer.ns, turn.balancer.name,
                               KubePatch::merge, std::move(body))
                .with_subresource("status")
                .within(time_to_read);
        co_await send(host_, std::move(request));
    } catch (const Failure& failure) {
        failed = failure.error();
    }
    const bool is_over =
        failed && (failed->code == ErrorCode::cancelled || failed->code == ErrorCode::not_found);
    if (!failed) {
        entry.written_status = status;
        entry.balancer.status = std::move(status);
    } else if (!is_over) {
        entry.problems.push_back({Phase::writing, "status: " + failed->message});
        host_.warn("balancer " + turn.balancer.path() + ": status: " + failed->message);
    }
}

}  // namespace capstan::replicas
