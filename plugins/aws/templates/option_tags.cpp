// Options of a group by its tags, in upstream's words.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/duration.hpp>
#include <capstan/json.hpp>
#include <capstan/sentence.hpp>

#include "group_template.hpp"
#include "node_tags.hpp"

namespace capstan::aws {
namespace {

constexpr std::string_view options_part = "autoscaling-options/";

Result<double> read_share_option(const std::string& written) {
    const Result<Json> json = parse_json(written);
    const std::optional<double> share = json ? json->number() : std::nullopt;
    if (!share || *share < 0 || *share > 1) {
        return fail(ErrorCode::invalid_argument, in_quotes(written) + " is no share from 0 to 1");
    }
    return *share;
}

Result<Duration> read_duration_option(const std::string& written) {
    CAPSTAN_TRY(const Duration length, parse_duration(written));
    if (length < Duration(0)) {
        return fail(ErrorCode::invalid_argument, in_quotes(written) + " is less than nothing");
    }
    return length;
}

/// The spellings that Go has, and upstream with it.
Result<bool> read_bool_option(const std::string& written) {
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

Result<void> read_option(std::string_view name, const std::string& written, GroupOptions& out) {
    if (name == "scaledownutilizationthreshold")
        return put_option(out.utilization_threshold, read_share_option(written));
    if (name == "scaledowngpuutilizationthreshold")
        return put_option(out.gpu_utilization_threshold, read_share_option(written));
    if (name == "scaledownunneededtime")
        return put_option(out.unneeded_time, read_duration_option(written));
    if (name == "scaledownunreadytime")
        return put_option(out.unready_time, read_duration_option(written));
    if (name == "maxnodeprovisiontime")
        return put_option(out.max_node_provision_time, read_duration_option(written));
    if (name == "zeroormaxnodescaling")
        return put_option(out.zero_or_max, read_bool_option(written));
    if (name == "ignoredaemonsetsutilization")
        return put_option(out.ignore_daemonsets_utilization, read_bool_option(written));
    return fail(ErrorCode::unsupported, "there is no such option of a group");
}

}  // namespace

TaggedOptions read_option_tags(const Labels& tags) {
    TaggedOptions out;
    GroupOptions options;
    for (const auto& [key, value] : tags) {
        std::string_view name = key;
        if (!name.starts_with(node_template_prefix)) continue;
        name.remove_prefix(node_template_prefix.size());
        if (!name.starts_with(options_part)) continue;
        const Result<void> read = read_option(name.substr(options_part.size()), value, options);
        if (!read) out.warnings.push_back("tag " + key + ": " + read.error().message);
    }
    if (options != GroupOptions()) out.options = options;
    return out;
}

}  // namespace capstan::aws
