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

/// Properties of a profile by their names in lower case.
using Profile = std::map<std::string, std::string, std::less<>>;
using Profiles = std::map<std::string, Profile, std::less<>>;

/// Empty if the profile has no such property.
std::string find_property(const Profile& profile, std::string_view name);

/// The two files name a profile differently: `[name]` in credentials, `[profile name]` in config.
enum class ProfileFile : std::uint8_t { credentials, config };

/// Parses one file. Other sections ("sso-session") and nested properties are left out. Sections of
/// the same profile are merged. An error gives the number of the line but not its text, which may
/// be a secret.
Result<Profiles> parse_profiles(std::string_view text, ProfileFile kind);

/// Both files merged; the credentials file takes precedence. A file that does not exist has no
/// profiles, nor has a file below HOME that cannot be read. Throws a Failure that names the file if
/// it has a malformed line, or if it cannot be read although a variable names it.
struct SharedFiles {
    /// For messages: the path of each file, or why it could not be read. Empty if HOME is not set
    /// and no variable names a file.
    std::vector<std::string> paths{};
    Profiles profiles{};
};
Task<std::shared_ptr<const SharedFiles>> read_shared_files(Environment& environment,
                                                           Variables variables);

/// The profile to use: that of the settings, of AWS_PROFILE or AWS_DEFAULT_PROFILE, or "default".
struct ProfileChoice {
    std::string name{};
    std::string chosen_by{};  ///< for messages; empty: the profile "default" need not exist
};
ProfileChoice choose_profile(const std::string& setting, const Variables& variables);

}  // namespace capstan::aws
