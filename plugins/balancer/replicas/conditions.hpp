/// The conditions of a status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/json.hpp>
#include <capstan/time.hpp>

namespace capstan::replicas {

/// "Balancing": True while all is well, as upstream; False names what goes wrong.
inline constexpr std::string_view balancing = "Balancing";
/// "FallenBack": True while replicas are asked of others because some do not start.
inline constexpr std::string_view fallen_back = "FallenBack";

struct Condition {
    std::string type{};
    bool is_true = false;
    std::string reason{}, message{};
    std::int64_t observed_generation = 0;
    std::optional<Time> since{};  ///< when it last became so; kept from before where it was so
};

/// The one of that type; nothing: a status without it.
std::optional<Condition> find_condition(const Json& status, std::string_view type);
/// `now` is its time where it was not so before.
Json write_condition(const Condition& condition, const Json& status_before, Time now);

}  // namespace capstan::replicas
