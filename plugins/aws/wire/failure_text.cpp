#include "failure_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include <capstan/ascii.hpp>
#include <capstan/utf8.hpp>

#include "aws_error.hpp"
#include "error_codes.hpp"

namespace capstan::aws {
namespace {

/// Texts of Auto Scaling that contain no code, and EC2's code for the same failure.
struct FailureWording {
    std::string_view words;
    std::string_view code;
    ErrorCode error;
};
constexpr auto failure_wordings = std::to_array<FailureWording>({
    {"do not have sufficient", "InsufficientInstanceCapacity", ErrorCode::out_of_capacity},
    {"no spot capacity available", "InsufficientInstanceCapacity", ErrorCode::out_of_capacity},
    {"insufficient capacity", "InsufficientInstanceCapacity", ErrorCode::out_of_capacity},
    {"unable to fulfill capacity", "UnfulfillableCapacity", ErrorCode::out_of_capacity},
    {"not enough free addresses", "InsufficientFreeAddressesInSubnet", ErrorCode::out_of_capacity},
    {"insufficient free addresses", "InsufficientFreeAddressesInSubnet",
     ErrorCode::out_of_capacity},
    {"lower than the minimum required", "SpotMaxPriceTooLow", ErrorCode::out_of_capacity},
    {"capacity reservation", "ReservationCapacityExceeded", ErrorCode::out_of_capacity},
    {"is not supported in your requested availability zone", "Unsupported",
     ErrorCode::out_of_capacity},
    {"requested configuration is currently not supported", "Unsupported",
     ErrorCode::out_of_capacity},
    {"max spot instance count exceeded", "MaxSpotInstanceCountExceeded", ErrorCode::quota},
    {"quota for maximum fleet requests", "MaxFleetCountExceeded", ErrorCode::quota},
    {"maximum fleet requests", "MaxFleetCountExceeded", ErrorCode::quota},
    {"more vcpu capacity than your current vcpu limit", "VcpuLimitExceeded", ErrorCode::quota},
    {"more instances", "InstanceLimitExceeded", ErrorCode::quota},
    {"your quota allows for", "InstanceLimitExceeded", ErrorCode::quota},
    {"volume limit exceeded", "VolumeLimitExceeded", ErrorCode::quota},
    {"storage limit", "VolumeLimitExceeded", ErrorCode::quota},
    {"request limit exceeded", "RequestLimitExceeded", ErrorCode::throttled},
    {"not authorized", "UnauthorizedOperation", ErrorCode::permission},
    {"access denied", "AccessDenied", ErrorCode::permission},
    {"client error on launch", "InternalError", ErrorCode::permission},
    {"the security group", "InvalidGroup.NotFound", ErrorCode::invalid_config},
    {"the key pair", "InvalidKeyPair.NotFound", ErrorCode::invalid_config},
    {"the image id", "InvalidAMIID.NotFound", ErrorCode::invalid_config},
    {"the subnet id", "InvalidSubnetID.NotFound", ErrorCode::invalid_config},
    {"the snapshot", "InvalidSnapshot.NotFound", ErrorCode::invalid_config},
    {"launch template", "InvalidLaunchTemplate", ErrorCode::invalid_config},
    {"kms key", "InvalidKMSKey.InvalidState", ErrorCode::invalid_config},
    {"does not exist", "", ErrorCode::invalid_config},
    {"invalid", "", ErrorCode::invalid_config},
});

bool is_code_character(char c) noexcept { return is_ascii_alnum(c) || c == '.'; }

/// An error code of AWS in a text: "InsufficientInstanceCapacity - ...",
/// "Client.VolumeLimitExceeded: ...".
struct FoundCode {
    std::string_view name;
    ErrorCode error;
};
std::optional<FoundCode> find_code_in(std::string_view text) {
    while (!text.empty()) {
        const auto end = std::find_if_not(text.begin(), text.end(), is_code_character);
        std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        while (word.ends_with('.')) word.remove_suffix(1);
        // A code has a capital letter inside. Codes such as "Unavailable" and "Unsupported" are
        // skipped, since sentences begin with these words.
        const bool has_inner_capital =
            word.size() > 2 &&
            std::any_of(word.begin() + 1, word.end(), [](char c) { return is_ascii_upper(c); });
        if (!has_inner_capital) continue;
        const std::optional<CodeMeaning> meaning = find_meaning(word, {});
        if (meaning) return FoundCode{word, meaning->code};
    }
    return std::nullopt;
}

/// Converts the meaning of a code in a call's reply to its meaning in a failed launch: there,
/// `not_found` and the like are about resources that the group's configuration names.
ErrorCode of_a_launch(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::not_found:
        case ErrorCode::invalid_argument:
        case ErrorCode::unsupported: return ErrorCode::invalid_config;
        case ErrorCode::conflict: return ErrorCode::unavailable;
        default: return code;
    }
}

std::string failure_line(std::string_view message) {
    constexpr std::size_t size_max = 1500;
    std::string out = clean_utf8(without_encoded_part(std::string(message)), size_max);
    for (char& c : out) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    return out;
}

const FailureWording* find_wording(std::string_view message) noexcept {
    const auto row = std::find_if(
        failure_wordings.begin(), failure_wordings.end(),
        [message](const FailureWording& one) { return contains_words(message, one.words); });
    return row == failure_wordings.end() ? nullptr : &*row;
}

}  // namespace

Error classify_failure_text(std::string_view status_code, std::string_view message) {
    Error out{ErrorCode::unavailable, failure_line(message)};
    if (out.message.empty()) {
        out.message = "the scaling activity ended with status " + std::string(status_code);
        return out;
    }
    const FailureWording* const wording = find_wording(message);
    const std::optional<FoundCode> found = find_code_in(message);
    // AWS reports a KMS key without permission as "Client.InternalError: Client error on launch".
    const bool is_explained = wording != nullptr && wording->error == ErrorCode::permission;
    if (found) {
        out.code = is_explained ? wording->error : of_a_launch(found->error);
        out.provider_code = found->name;
    } else if (wording != nullptr) {
        out.code = wording->error;
        out.provider_code = wording->code;
    }
    out.scope = scope_of(out.provider_code);
    return out;
}

}  // namespace capstan::aws
