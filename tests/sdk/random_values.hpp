/// Random valid values of the model types for round trips; the same for the same seed.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/scale_up_option.hpp>

namespace capstan::testing {

class RandomValues {
public:
    explicit RandomValues(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t below(std::uint64_t n) { return engine_() % n; }
    bool coin() { return below(2) == 1; }
    std::string word() {
        static const std::vector<std::string> letters = {"a", "b",      "c",      "-",         "/",
                                                         "0", "\u00e9", "\u20ac", "\U0001f600"};
        std::string out = "w";
        for (auto i = below(6); i != 0; --i) out += letters[below(letters.size())];
        return out;
    }
    std::string maybe_word() { return coin() ? word() : std::string(); }
    std::optional<int> maybe_count(int at_least = 0) {
        return coin() ? std::optional(at_least + static_cast<int>(below(1000))) : std::nullopt;
    }
    template <class F>
    auto some(F make) {
        std::vector<decltype(make())> out;
        for (auto i = below(4); i != 0; --i) out.push_back(make());
        return out;
    }
    Labels labels() {
        Labels out;
        for (auto i = below(4); i != 0; --i) out[word()] = maybe_word();
        return out;
    }
    Resources resources(bool negative = false) {
        Resources out;
        for (auto i = below(4); i != 0; --i) {
            const auto amount = static_cast<std::int64_t>(engine_() >> (1 + below(62)));
            out.set(word(), negative && coin() ? -amount : amount);
        }
        return out;
    }
    std::optional<double> maybe_amount() {
        return coin() ? std::optional(static_cast<double>(below(1000)) / 7) : std::nullopt;
    }
    std::optional<double> maybe_share() {
        return coin() ? std::optional(static_cast<double>(below(8)) / 7) : std::nullopt;
    }
    std::optional<Duration> maybe_duration() {
        return coin() ? std::optional(Duration(static_cast<std::int64_t>(engine_() >> 1)))
                      : std::nullopt;
    }
    std::optional<bool> maybe_flag() { return coin() ? std::optional(coin()) : std::nullopt; }
    Price price() {
        return {.per_hour = maybe_amount(),
                .currency = coin() ? "USD" : "EUR",
                .interruption_rate = maybe_share()};
    }
    GroupOptions options() {
        return {.utilization_threshold = maybe_share(),
                .gpu_utilization_threshold = maybe_share(),
                .unneeded_time = maybe_duration(),
                .unready_time = maybe_duration(),
                .max_node_provision_time = maybe_duration(),
                .drain_timeout = maybe_duration(),
                .zero_or_max = maybe_flag(),
                .ignore_daemonsets_utilization = maybe_flag(),
                .device_settling_time = maybe_duration(),
                .settling_time = maybe_duration()};
    }
    Leaving leaving() {
        Leaving out{.reason = static_cast<LeaveReason>(below(5))};
        if (coin()) out.at = time_from_unix_ns(1 + static_cast<std::int64_t>(engine_() >> 1));
        return out;
    }
    Effect effect() { return static_cast<Effect>(1 + below(3)); }
    Taint taint() { return {word(), maybe_word(), effect()}; }
    Toleration toleration() {
        const auto op = coin() ? Toleration::Op::equal : Toleration::Op::exists;
        return {maybe_word(), op, maybe_word(), coin() ? std::optional(effect()) : std::nullopt};
    }
    Requirement requirement() {
        return {word(), static_cast<Operator>(1 + below(6)), some([&] { return maybe_word(); })};
    }
    NodeSelectorTerm term() {
        const auto one = [&] { return requirement(); };
        return {some(one), some(one), static_cast<int>(below(101))};
    }
    NodeGroup group(std::string id) {
        NodeGroup out{NodeGroupId(std::move(id))};
        out.min = maybe_count();
        out.max = maybe_count(1000);
        out.target = maybe_count();
        if (coin()) out.healthy = coin();
        out.health_reason = maybe_word();
        out.autoprovisioned = coin();
        if (coin()) out.spot = coin();
        out.zones = some([this] { return word(); });
        if (coin()) out.price = price();
        if (coin()) out.options = options();
        out.template_fingerprint = maybe_word();
        out.debug = maybe_word();
        out.tags = labels();
        return out;
    }
    NodeTemplate node_template() {
        NodeTemplate out{word(),       maybe_word(), maybe_word(), maybe_word(),
                         maybe_word(), labels(),     labels()};
        out.taints = some([&] { return taint(); });
        out.capacity = resources();
        out.allocatable = resources();
        out.free = resources(true);
        out.fingerprint = maybe_word();
        out.variants = 1 + static_cast<int>(below(5));
        return out;
    }
    PodEquivalenceGroup equivalence_group() {
        PodEquivalenceGroup out{word(),      word(),   maybe_word(), maybe_word(), word(),
                                resources(), labels(), labels(),     labels()};
        out.affinity_required = some([&] { return term(); });
        out.affinity_preferred = some([&] { return term(); });
        out.tolerations = some([&] { return toleration(); });
        out.priority = static_cast<std::int32_t>(static_cast<std::uint32_t>(engine_()));
        out.count = static_cast<std::uint32_t>(engine_());
        return out;
    }
    ScaleUpOption option(std::uint32_t equivalence_groups) {
        ScaleUpOption out{group(word())};
        if (coin()) out.node = std::make_shared<const NodeTemplate>(node_template());
        out.nodes = 1 + static_cast<int>(below(100));
        out.pods = share(some([&] {
            return PodShare{static_cast<std::uint32_t>(below(equivalence_groups)),
                            static_cast<std::uint32_t>(below(50))};
        }));
        out.requested = resources();
        out.pod_count = static_cast<std::uint32_t>(below(10000));
        out.similar = some([&] { return NodeGroupId(word()); });
        if (coin()) out.price_per_hour = static_cast<double>(below(1000)) / 7;
        out.group_exists = coin();
        return out;
    }
    Error error() {
        Error out{static_cast<ErrorCode>(1 + below(15)), word(), maybe_word(), maybe_word(),
                  std::nullopt};
        if (coin()) out.retry_after = std::chrono::milliseconds(below(100000));
        return out;
    }
    Machine machine(std::string id) {
        Machine out{MachineId(std::move(id)), NodeGroupId(word()),
                    static_cast<MachineState>(1 + below(5))};
        out.machine_type = maybe_word();
        out.zone = maybe_word();
        if (coin()) out.launched = time_from_unix_ns(static_cast<std::int64_t>(engine_()));
        if (coin()) out.error = error();
        out.template_fingerprint = maybe_word();
        out.node_name = maybe_word();
        if (coin()) out.leaves = leaving();
        if (coin()) out.spot = coin();
        out.price_per_hour = maybe_amount();
        out.addresses = some([&] { return word(); });
        return out;
    }
    CloudView cloud_view() {
        CloudView out{coin()};
        for (auto i = below(5); i != 0; --i)
            out.groups.push_back(group(word() + std::to_string(i)));
        for (auto i = below(5); i != 0; --i)
            out.machines.push_back(machine(word() + std::to_string(i)));
        out.unreadable = some([&] { return error(); });
        return out;
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace capstan::testing
