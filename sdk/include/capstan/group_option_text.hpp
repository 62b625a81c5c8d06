/// Options of a node group in tags and metadata of clouds, with upstream's names and in its format.
///
///     GroupOptions options;
///     if (const auto read = read_group_option("scaledownunneededtime", "10m", options); !read) ...
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/duration.hpp>
#include <capstan/json.hpp>
#include <capstan/node_group.hpp>
#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

inline Result<double> read_share_option(const std::string& written) {
    const Result<Json> json = parse_json(written);
    const std::optional<double> share = json ? json->number() : std::nullopt;
    if (!share || *share < 0 || *share > 1) {
        return fail(ErrorCode::invalid_argument,
                    in_quotes(written) + " is not a number from 0 to 1");
    }
    return *share;
}

inline Result<Duration> read_duration_option(const std::string& written) {
    CAPSTAN_TRY(const Duration length, parse_duration(written));
    if (length < Duration(0)) {
        return fail(ErrorCode::invalid_argument, in_quotes(written) + " is negative");
    }
    return length;
}

/// The spellings that Go and upstream accept.
inline Result<bool> read_bool_option(const std::string& written) {
    constexpr std::array<std::string_view, 6> yes{"1", "t", "T", "true", "TRUE", "True"};
    constexpr std::array<std::string_view, 6> no{"0", "f", "F", "false", "FALSE", "False"};
    if (std::ranges::count(yes, written) > 0) return true;
    if (std::ranges::count(no, written) > 0) return false;
    return fail(ErrorCode::invalid_argument, in_quotes(written) + " is neither true nor false");
}

template <class T>
Result<void> put_option(std::optional<T>& out, Result<T> read) {
    if (!read) return fail(std::move(read).error());
    out = *read;
    return {};
}

}  // namespace detail

/// Sets the option with that name; `out` is unchanged on an error. `unsupported`: unknown option.
/// Durations, numbers and booleans have upstream's format:
///
///     scaledownutilizationthreshold = 0.5      scaledownunneededtime = 10m
///     scaledowngpuutilizationthreshold         scaledownunreadytime
///     zeroormaxnodescaling = true              maxnodeprovisiontime
///     ignoredaemonsetsutilization
///
/// Upstream does not have these:
///
///     devicesettlingtime = 10m                 settlingtime = 2m
inline Result<void> read_group_option(std::string_view name, const std::string& written,
                                      GroupOptions& out) {
    if (name == "scaledownutilizationthreshold")
        return detail::put_option(out.utilization_threshold, detail::read_share_option(written));
    if (name == "scaledowngpuutilizationthreshold")
        return detail::put_option(out.gpu_utilization_threshold,
                                  detail::read_share_option(written));
    if (name == "scaledownunneededtime")
        return detail::put_option(out.unneeded_time, detail::read_duration_option(written));
    if (name == "scaledownunreadytime")
        return detail::put_option(out.unready_time, detail::read_duration_option(written));
    if (name == "maxnodeprovisiontime")
        return detail::put_option(out.max_node_provision_time,
                                  detail::read_duration_option(written));
    if (name == "zeroormaxnodescaling")
        return detail::put_option(out.zero_or_max, detail::read_bool_option(written));
    if (name == "ignoredaemonsetsutilization")
        return detail::put_option(out.ignore_daemonsets_utilization,
                                  detail::read_bool_option(written));
    if (name == "devicesettlingtime")
        return detail::put_option(out.device_settling_time, detail::read_duration_option(written));
    if (name == "settlingtime")
        return detail::put_option(out.settling_time, detail::read_duration_option(written));
    return fail(ErrorCode::unsupported, "unknown group option");
}

CAPSTAN_NAMESPACE_END
