#include "simulator/api_server/api_faults.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace capstan::simulator::api_server {
namespace {

struct TextMember {
    const char* key;
    std::string ApiFault::* member;
};
constexpr std::array text_members = {
    TextMember{"verb", &ApiFault::verb}, TextMember{"resource", &ApiFault::resource},
    TextMember{"subresource", &ApiFault::subresource}, TextMember{"namespace", &ApiFault::space},
    TextMember{"name", &ApiFault::name}};

struct FlagMember {
    const char* key;
    bool ApiFault::* member;
};
constexpr std::array flag_members = {FlagMember{"cut", &ApiFault::cuts},
                                     FlagMember{"carriedOut", &ApiFault::is_carried_out}};

constexpr std::array spoil_names = {"none",    "garbage",    "half",    "torn",
                                    "silence", "other_kind", "nameless"};

bool read_spoil(ApiFault& out, std::string_view name) {
    const auto found = std::ranges::find(spoil_names, name);
    if (found == spoil_names.end()) return false;
    out.spoil = static_cast<ResponseCorruption>(found - spoil_names.begin());
    return true;
}

bool is_for(const std::string& wanted, const std::string& has) {
    return wanted.empty() || wanted == has;
}

bool is_for(const ApiFault& fault, const ApiRequest& request) {
    return fault.times.value_or(1) > 0 && is_for(fault.verb, request.verb) &&
           is_for(fault.resource, request.resource()) &&
           is_for(fault.subresource, request.subresource) && is_for(fault.space, request.space) &&
           is_for(fault.name, request.name);
}

bool is_let_pass(ApiFault& fault) {
    if (fault.skip == 0) return false;
    --fault.skip;
    return true;
}

bool read_number(ApiFault& out, std::string_view key, std::int64_t number) {
    const int small = static_cast<int>(std::clamp<std::int64_t>(number, 0, 1'000'000));
    if (key == "status") {
        out.status = small;
    } else if (key == "retryAfterSeconds") {
        out.retry_after_s = small;
    } else if (key == "delayMs") {
        out.delay = std::chrono::milliseconds(small);
    } else if (key == "lagMs") {
        out.lag = std::chrono::milliseconds(small);
    } else if (key == "afterEvents") {
        out.after_events = small;
    } else if (key == "times") {
        out.times = small == 0 ? std::nullopt : std::optional(small);
    } else if (key == "skip") {
        out.skip = small;
    } else {
        return false;
    }
    return true;
}

bool read_member(ApiFault& out, std::string_view key, const json::value& value) {
    if (value.is_int64()) return read_number(out, key, value.get_int64());
    if (value.is_string()) {
        if (key == "spoil") return read_spoil(out, view(value.get_string()));
        const auto found = std::ranges::find(text_members, key, &TextMember::key);
        if (found == text_members.end()) return false;
        out.*(found->member) = std::string(view(value.get_string()));
        return true;
    }
    const auto found = std::ranges::find(flag_members, key, &FlagMember::key);
    if (!value.is_bool() || found == flag_members.end()) return false;
    out.*(found->member) = value.get_bool();
    return true;
}

std::int64_t whole_ms(Duration duration) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

std::string reason_of(int status) {
    switch (status) {
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "NotFound";
        case 409: return "Conflict";
        case 410: return "Expired";
        case 422: return "Invalid";
        case 429: return "TooManyRequests";
        case 503: return "ServiceUnavailable";
        case 504: return "Timeout";
        default: return "InternalError";
    }
}

}  // namespace

std::optional<ApiFault> ApiFaults::take(const ApiRequest& request) {
    const auto found = std::ranges::find_if(
        faults_, [&](ApiFault& fault) { return is_for(fault, request) && !is_let_pass(fault); });
    if (found == faults_.end()) return std::nullopt;
    ++taken_;
    ApiFault& fault = *found;
    ApiFault out = fault;
    if (fault.times && --*fault.times == 0) faults_.erase(found);
    return out;
}

StatusError refusal_of(const ApiFault& fault, const ApiRequest& request) {
    return {fault.status,
            reason_of(fault.status),
            "injected fault: " + request.verb + " " + request.path,
            {{"name", request.name}, {"kind", request.plural}},
            fault.retry_after_s,
            {}};
}

json::object odd_object(ResponseCorruption how, std::string_view kind) {
    if (how == ResponseCorruption::other_kind)
        return {{"kind", "Frob"}, {"apiVersion", "v9"}, {"metadata", {{"name", "odd"}}}};
    return {{"kind", json_view(kind)}, {"apiVersion", "v1"}, {"metadata", json::object()}};
}

Answer<ApiFault> parse_fault(const json::object& written) {
    ApiFault out;
    for (const auto& [key, value] : written)
        if (!read_member(out, view(key), value))
            return fail(bad_request("fault: unknown field \"" + std::string(view(key)) +
                                    "\", or its value has the wrong type"));
    return out;
}

json::object fault_object(const ApiFault& fault) {
    json::object out;
    for (const TextMember& text : text_members)
        if (!(fault.*(text.member)).empty()) out[text.key] = fault.*(text.member);
    for (const FlagMember& flag : flag_members)
        if (fault.*(flag.member)) out[flag.key] = true;
    if (fault.skip != 0) out["skip"] = fault.skip;
    if (fault.status != 0) out["status"] = fault.status;
    if (fault.retry_after_s) out["retryAfterSeconds"] = *fault.retry_after_s;
    if (fault.delay != Duration(0)) out["delayMs"] = whole_ms(fault.delay);
    if (fault.lag != Duration(0)) out["lagMs"] = whole_ms(fault.lag);
    if (fault.spoil != ResponseCorruption::none)
        out["spoil"] = spoil_names[static_cast<std::size_t>(fault.spoil)];
    if (fault.after_events) out["afterEvents"] = *fault.after_events;
    out["times"] = fault.times.value_or(0);
    return out;
}

}  // namespace capstan::simulator::api_server
