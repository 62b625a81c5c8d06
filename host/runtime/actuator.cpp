#include "runtime/actuator.hpp"

#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

#include <capstan/hash.hpp>

#include "engine/health/backoff.hpp"

namespace capstan::runtime {
namespace {

/// Longer than the deadlines of all increases add up to.
constexpr Duration patience = std::chrono::hours(1);

/// Equal for the same increase of the same pass only.
std::string idempotency_key(const engine::Increase& increase,
                            const engine::Circumstances& circumstances) {
    Hash hash;
    hash.add(increase.cloud.value());
    hash.add(increase.group.value());
    hash.add(increase.from);
    hash.add(increase.by);
    hash.add(unix_ns(circumstances.now));
    hash.add(static_cast<std::int64_t>(circumstances.seed));
    char out[17];
    std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash.value()));
    return std::string("capstan-") + out;
}

/// What has come back so far.
class Gathering {
public:
    Gathering(const engine::Decision& decision, CarriedOutDone done)
        : done_(std::move(done)), open_(decision.increases.size()) {
        for (const engine::Increase& increase : decision.increases)
            results_.push_back({increase, Resized{}});
    }
    void take(std::size_t at, Result<Resized> resized) {
        {
            const std::lock_guard lock(mutex_);
            results_[at].resized = std::move(resized);
            if (--open_ > 0) return;
        }
        done_(std::move(results_));
    }

private:
    const CarriedOutDone done_;
    std::mutex mutex_;
    std::vector<CarriedOut> results_;
    std::size_t open_;
};

bool is_the_groups_fault(ErrorCode code) {
    return code != ErrorCode::conflict && code != ErrorCode::cancelled;
}

}  // namespace

void carry_out(const engine::Decision& decision, const Clouds& clouds,
               const engine::Circumstances& circumstances, CarriedOutDone done) {
    if (circumstances.dry_run || decision.increases.empty()) return done({});
    const auto gathering = std::make_shared<Gathering>(decision, std::move(done));
    for (std::size_t at = 0; at < decision.increases.size(); ++at) {
        const engine::Increase& increase = decision.increases[at];
        const std::shared_ptr<CloudClient> cloud = clouds.find(increase.cloud);
        if (!cloud) {
            gathering->take(
                at, fail(ErrorCode::internal, "group " + increase.group.value() +
                                                  ": there is no cloud " + increase.cloud.value()));
            continue;
        }
        cloud->increase(
            {.group = increase.group,
             .delta = increase.by,
             .expected_target = increase.from,
             .idempotency_key = idempotency_key(increase, circumstances)},
            [gathering, at](Result<Resized> resized) { gathering->take(at, std::move(resized)); });
    }
}

std::vector<CarriedOut> carry_out_now(const engine::Decision& decision, const Clouds& clouds,
                                      const engine::Circumstances& circumstances,
                                      PluginHost& host) {
    using All = std::vector<CarriedOut>;
    Result<All> carried_out = host.wait<All>(
        [&](const PluginHost::Done<All>& done) {
            carry_out(decision, clouds, circumstances, [done](All all) { done(std::move(all)); });
        },
        patience);
    if (carried_out) return *std::move(carried_out);
    All unknown;
    for (const engine::Increase& increase : decision.increases)
        unknown.push_back({increase, fail(carried_out.error())});
    return unknown;
}

engine::Memory remember_failures(engine::Memory memory, const std::vector<CarriedOut>& carried_out,
                                 const engine::Settings& settings, Time now) {
    for (const auto& [increase, resized] : carried_out) {
        if (resized || !is_the_groups_fault(resized.error().code)) continue;
        memory = engine::remember_failure(std::move(memory), increase.group, resized.error(),
                                          settings, now);
    }
    return memory;
}

}  // namespace capstan::runtime
