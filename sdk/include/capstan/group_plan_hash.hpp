/// A hash of a group plan: equal plans have equal hashes, in every process.
#pragma once

#include <cstdint>

#include <capstan/hash.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/taints.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Hash of all members of a plan except its name.
inline std::uint64_t hash_of_plan(const GroupPlan& plan) {
    Hash hash;
    hash.add(plan.machine_type);
    hash.add(plan.zone);
    hash.add(std::int64_t{plan.spot ? 1 : 0});
    for (const auto& [key, value] : plan.labels) {
        hash.add(key);
        hash.add(value);
    }
    for (const Taint& taint : plan.taints) hash.add(to_string(taint));
    return hash.value();
}

CAPSTAN_NAMESPACE_END
