#include "resource_link.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <capstan/sentence.hpp>
#include <capstan/url.hpp>

namespace capstan::gce {
namespace {

/// "projects/p/zones/z/instances/i" and the longest link there is, "global/images/family/f".
constexpr std::size_t link_parts_max = 8;

Unexpected no_link(std::string_view text) {
    return fail(
        ErrorCode::invalid_argument,
        in_quotes(text) + " is not a link like \"projects/PROJECT/zones/ZONE/instances/NAME\"");
}

/// From "projects/" on; empty if it has no such part.
std::optional<std::string_view> cut_to_project(std::string_view text) {
    constexpr std::string_view word = "projects/";
    text = text.substr(0, text.find_first_of("?#"));
    if (text.starts_with(word)) return text.substr(word.size());
    const std::size_t at = text.find("/projects/");
    if (at == std::string_view::npos) return std::nullopt;
    return text.substr(at + 1 + word.size());
}

Result<std::vector<std::string>> split_link(std::string_view text) {
    std::vector<std::string> out;
    for (;;) {
        const std::size_t end = text.find('/');
        CAPSTAN_TRY(std::string part, percent_decode(text.substr(0, end)));
        // A slash that is encoded would be one of the path that the link is written as.
        const bool is_name =
            !part.empty() && part != "." && part != ".." && part.find('/') == std::string::npos;
        if (!is_name || out.size() == link_parts_max) return no_link(text);
        out.push_back(std::move(part));
        if (end == std::string_view::npos) return out;
        text.remove_prefix(end + 1);
    }
}

/// The parts from `from` on as one name: "family/debian-12".
std::string joined_from(const std::vector<std::string>& parts, std::size_t from) {
    std::string out;
    for (std::size_t i = from; i < parts.size(); ++i) out += (i == from ? "" : "/") + parts[i];
    return out;
}

}  // namespace

std::string ResourceLink::path() const {
    std::string out = "projects/" + percent_encode(project) + "/";
    if (place.scope == Scope::global) out += "global";
    if (place.scope == Scope::zone) out += "zones/" + percent_encode(place.name);
    if (place.scope == Scope::region) out += "regions/" + percent_encode(place.name);
    // Not "/" + percent_encode(...): GCC 12 warns of an overlapping copy there (bug 105651).
    out += '/';
    out += percent_encode(collection);
    std::string_view rest = name;
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find('/'));
        out += '/';
        out += percent_encode(part);
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
    return out;
}

Result<ResourceLink> parse_link(std::string_view text) {
    const std::optional<std::string_view> rest = cut_to_project(text);
    if (!rest) return no_link(text);
    Result<std::vector<std::string>> parts = split_link(*rest);
    if (!parts || parts->size() < 4) return no_link(text);
    ResourceLink out{.project = (*parts)[0]};
    std::size_t at = 2;
    if ((*parts)[1] == "zones" || (*parts)[1] == "regions") {
        out.place = {(*parts)[1] == "zones" ? Scope::zone : Scope::region, (*parts)[2]};
        at = 3;
    } else if ((*parts)[1] != "global") {
        return no_link(text);
    }
    if (parts->size() < at + 2) return no_link(text);
    out.collection = (*parts)[at];
    out.name = joined_from(*parts, at + 1);
    return out;
}

std::string_view last_part(std::string_view link) noexcept {
    return link.substr(link.rfind('/') + 1);
}

std::string region_of_zone(std::string_view zone) {
    return std::string(zone.substr(0, zone.rfind('-')));
}

}  // namespace capstan::gce
