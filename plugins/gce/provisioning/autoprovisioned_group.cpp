#include "autoprovisioned_group.hpp"

#include <algorithm>
#include <cstdint>

#include <capstan/ascii.hpp>
#include <capstan/group_plan_hash.hpp>
#include <capstan/hash.hpp>
#include <capstan/sentence.hpp>

namespace capstan::gce {
namespace {

constexpr std::size_t base_name_max = 58;  // Google's, of instanceGroupManagers
constexpr std::size_t label_max = 63, labels_max = 64;

std::string hex_digits(std::uint64_t value, std::size_t count) {
    return hex_text(value).substr(16 - count);
}

/// Combines both halves of a hash, since only some of its digits are used.
std::uint64_t folded(std::uint64_t hash) noexcept { return hash ^ (hash >> 32); }

std::string cluster_mark(std::string_view cluster) {
    const std::uint64_t hash = folded(fnv1a64(cluster));
    return hex_digits(hash ^ (hash >> 16), 4);
}

bool is_small_letter_or_digit(char c) noexcept { return is_ascii_lower(c) || is_ascii_digit(c); }

bool is_of_labels(char c) noexcept { return is_small_letter_or_digit(c) || c == '-' || c == '_'; }

/// The plan's name with every character that names of resources may not have as '-'.
std::string cleaned_name(std::string_view plan_name) {
    std::string out(plan_name);
    std::ranges::replace_if(out, [](char c) { return !is_small_letter_or_digit(c); }, '-');
    if (out.empty() || !is_ascii_lower(out.front())) out.insert(0, "g-");
    return out;
}

}  // namespace

std::string name_of_made_group(std::string_view plan_name, std::string_view cluster) {
    Hash hash;
    hash.add(plan_name);
    hash.add(cluster);
    const std::string ending =
        "-" + hex_digits(folded(hash.value()), 8) + "-" + cluster_mark(cluster);
    std::string out = cleaned_name(plan_name).substr(0, base_name_max - ending.size());
    while (out.ends_with('-')) out.pop_back();
    return out + ending;
}

bool is_name_for(std::string_view group_name, std::string_view cluster) {
    return !cluster.empty() && group_name.ends_with("-" + cluster_mark(cluster));
}

std::string label_of_cluster(std::string_view cluster) {
    std::string out(cluster);
    std::ranges::replace_if(out, [](char c) { return !is_of_labels(c); }, '-');
    if (out == cluster && out.size() <= label_max) return out;
    const std::string ending = "-" + hex_digits(folded(fnv1a64(cluster)), 8);
    return out.substr(0, label_max - ending.size()) + ending;
}

bool is_made_for(const Labels& labels, std::string_view cluster) {
    const auto owner = labels.find(made_for_label);
    return owner != labels.end() && !cluster.empty() &&
           owner->second == label_of_cluster(cluster) && labels.contains(plan_label);
}

std::string digest_of(const GroupPlan& plan) { return hex_digits(hash_of_plan(plan), 16); }

Labels provisioning_labels(bool spot) {
    if (!spot) return {{"cloud.google.com/gke-provisioning", "standard"}};
    return {{"cloud.google.com/gke-provisioning", "spot"}, {"cloud.google.com/gke-spot", "true"}};
}

Result<void> check_machine_label(std::string_view key, std::string_view value) {
    const auto refuse = [&](const char* why) {
        return fail(ErrorCode::invalid_argument,
                    "label " + in_quotes(std::string(key) + "=" + std::string(value)) + ": " + why);
    };
    if (key.empty() || !is_ascii_lower(key.front()))
        return refuse("the key must begin with a lower-case letter");
    if (key.size() > label_max) return refuse("the key is longer than 63 characters");
    if (value.size() > label_max) return refuse("the value is longer than 63 characters");
    if (!std::ranges::all_of(key, is_of_labels) || !std::ranges::all_of(value, is_of_labels))
        return refuse("Google allows lower-case letters, digits, '-' and '_'");
    return {};
}

Result<Labels> make_machine_labels(const GroupPlan& plan, const Labels& of_source,
                                   const MakingConfig& config) {
    Labels out{{std::string(made_for_label), label_of_cluster(config.cluster)},
               {std::string(plan_label), digest_of(plan)}};
    for (const auto& [key, value] : config.labels) {
        if (const auto taken = check_machine_label(key, value); !taken)
            return fail(ErrorCode::unsupported, taken.error().message);
        out.emplace(key, value);
    }
    out.insert(of_source.begin(), of_source.end());
    if (out.size() <= labels_max) return out;
    return fail(ErrorCode::unsupported,
                "its instances would have " +
                    counted(static_cast<std::int64_t>(out.size()), "label") + ", Google allows " +
                    std::to_string(labels_max));
}

std::string describe_made_group(const GroupPlan& plan, std::string_view cluster) {
    return "Created by Capstan for cluster " + std::string(cluster) + ": " + plan.machine_type +
           " in " + plan.zone + (plan.spot ? ", spot" : "");
}

}  // namespace capstan::gce
