/// The profiles of AWS's shared files, `~/.aws/credentials` and `~/.aws/config`.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>
#include <capstan/task.hpp>

#include "environment.hpp"

namespace capstan::aws {

/// Properties of a profile by name, in lower case.
using Profile = std::map<std::string, std::string, std::less<>>;
using Profiles = std::map<std::string, Profile, std::less<>>;

/// Empty: it has no such property.
std::string find_property(const Profile& profile, std::string_view name);

/// The two files differ in how they name a profile: `[name]`, and `[profile name]`.
enum class ProfileFile : std::uint8_t { credentials, config };

/// What a file says. Sections of other kinds ("sso-session") and nested properties are left out; a
/// profile that stands there twice is one. An error names the line, and shows nothing of it: it may
/// be a secret.
Result<Profiles> parse_profiles(std::string_view text, ProfileFile kind);

/// Both files together, and where they are: of a property that both have, that of the credentials
/// file counts. A file that is not there has no profiles, and neither has one below HOME that
/// cannot be read. A Failure names the file: one that a variable asks for cannot be read, or a line
/// of it.
struct SharedFiles {
    /// For people: what was looked for, and why it could not be read. None where HOME is not set.
    std::vector<std::string> paths{};
    Profiles profiles{};
};
Task<std::shared_ptr<const SharedFiles>> read_shared_files(Environment& environment,
                                                           Variables variables);

/// The profile that is asked for: the settings', AWS_PROFILE's, or "default".
struct ProfileChoice {
    std::string name{};
    std::string chosen_by{};  ///< for people; empty: nothing, and it need not exist
};
ProfileChoice choose_profile(const std::string& setting, const Variables& variables);

}  // namespace capstan::aws
