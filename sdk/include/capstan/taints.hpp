/// Taints of nodes and the tolerations of pods, with Kubernetes' rules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/abi/model.h>
#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

enum class Effect : std::int32_t {
    no_schedule = CAPSTAN_EFFECT_NO_SCHEDULE,
    prefer_no_schedule = CAPSTAN_EFFECT_PREFER_NO_SCHEDULE,
    no_execute = CAPSTAN_EFFECT_NO_EXECUTE,
};

/// Kubernetes' spelling; "Unknown" for an unknown value.
constexpr std::string_view name_of(Effect effect) noexcept {
    switch (effect) {
        case Effect::no_schedule: return "NoSchedule";
        case Effect::prefer_no_schedule: return "PreferNoSchedule";
        case Effect::no_execute: return "NoExecute";
    }
    return "Unknown";
}

inline std::optional<Effect> find_effect(std::string_view name) noexcept {
    for (auto effect : {Effect::no_schedule, Effect::prefer_no_schedule, Effect::no_execute}) {
        if (name_of(effect) == name) return effect;
    }
    return std::nullopt;
}

struct Taint {
    std::string key{};
    std::string value{};
    Effect effect = Effect::no_schedule;
    bool operator==(const Taint&) const = default;
};

struct Toleration {
    enum class Op : std::int32_t {
        equal = CAPSTAN_TOLERATION_EQUAL,
        exists = CAPSTAN_TOLERATION_EXISTS
    };

    std::string key{};  ///< empty: every key, with `exists`
    Op op = Op::equal;
    std::string value{};             ///< compared by `equal`
    std::optional<Effect> effect{};  ///< absent: every effect
    bool operator==(const Toleration&) const = default;
};

/// "dedicated=gpu:NoSchedule", "dedicated:NoSchedule" without a value: kubectl's format.
inline std::string to_string(const Taint& taint) {
    return taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" +
           std::string(name_of(taint.effect));
}
inline std::ostream& operator<<(std::ostream& out, const Taint& taint) {
    return out << to_string(taint);
}

inline bool tolerates(const Toleration& toleration, const Taint& taint) noexcept {
    if (toleration.effect && *toleration.effect != taint.effect) return false;
    if (!toleration.key.empty() && toleration.key != taint.key) return false;
    if (toleration.op == Toleration::Op::exists) return true;
    return toleration.op == Toleration::Op::equal && toleration.value == taint.value;
}

/// The first taint that keeps a pod with these tolerations off the node, or NULL; points into
/// `taints`. PreferNoSchedule keeps no pod off.
inline const Taint* find_untolerated(const std::vector<Taint>& taints,
                                     const std::vector<Toleration>& tolerations) noexcept {
    const auto keeps_off = [&](const Taint& taint) {
        return taint.effect != Effect::prefer_no_schedule &&
               std::none_of(
                   tolerations.begin(), tolerations.end(),
                   [&](const Toleration& toleration) { return tolerates(toleration, taint); });
    };
    const auto at = std::find_if(taints.begin(), taints.end(), keeps_off);
    return at != taints.end() ? &*at : nullptr;
}

CAPSTAN_NAMESPACE_END
