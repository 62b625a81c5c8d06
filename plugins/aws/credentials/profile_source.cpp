// Keys and roles of the shared files.
#include <algorithm>
#include <charconv>

#include <capstan/sentence.hpp>
#include <capstan/whole_number.hpp>

#include "sources.hpp"
#include "sts_roles.hpp"

namespace capstan::aws {
namespace {

/// A profile, and the chain of source_profile that led to it.
struct ProfileWalk {
    SharedLookup lookup{};
    std::shared_ptr<const SharedFiles> files{};
    std::vector<std::string> names{};  ///< of the chain; the last one is the current profile

    const std::string& name() const { return names.back(); }
    std::string where() const { return "profile " + in_quotes(name()); }
    const Profile& profile() const { return files->profiles.at(name()); }
    std::string property(std::string_view key) const { return find_property(profile(), key); }
};

Task<Credentials> credentials_of_profile(ProfileWalk walk);

Error profile_mistake(const ProfileWalk& walk, const std::string& what) {
    return {ErrorCode::invalid_config, walk.where() + " " + what};
}

std::optional<Credentials> find_profile_keys(const ProfileWalk& walk) {
    Credentials out;
    out.access_key_id = walk.property("aws_access_key_id");
    out.secret_access_key = walk.property("aws_secret_access_key");
    out.session_token = walk.property("aws_session_token");
    out.source = walk.where();
    if (out.access_key_id.empty() && out.secret_access_key.empty()) return std::nullopt;
    if (out.access_key_id.empty() || out.secret_access_key.empty())
        throw Failure(
            profile_mistake(walk, "has only one of aws_access_key_id and aws_secret_access_key"));
    return out;
}

RoleRequest profile_role_of(const ProfileWalk& walk) {
    RoleRequest out;
    out.role_arn = walk.property("role_arn");
    out.external_id = walk.property("external_id");
    out.session_name = walk.property("role_session_name");
    out.source = walk.where();
    const std::string duration = walk.property("duration_seconds");
    if (duration.empty()) return out;
    const auto seconds = find_whole_number(duration);
    if (!seconds || *seconds < 900 || *seconds > 43200)
        throw Failure(profile_mistake(walk, "has a duration_seconds outside 900 to 43200"));
    out.duration_seconds = static_cast<int>(*seconds);
    return out;
}

/// Continues to the source_profile, which has the credentials that assume the role.
ProfileWalk step_to_source(const ProfileWalk& walk, const std::string& source) {
    if (!walk.files->profiles.contains(source))
        throw Failure(profile_mistake(
            walk, "has the source_profile " + in_quotes(source) + ", which does not exist"));
    if (std::find(walk.names.begin(), walk.names.end(), source) != walk.names.end())
        throw Failure(
            profile_mistake(walk, "has a source_profile cycle through " + in_quotes(source)));
    ProfileWalk out = walk;
    out.names.push_back(source);
    return out;
}

Task<SourceAnswer> ask_named_source(const ProfileWalk& walk, const std::string& source) {
    if (source == "Environment") return ask_environment(walk.lookup);
    if (source == "EcsContainer") return ask_container(walk.lookup);
    if (source == "Ec2InstanceMetadata") return ask_instance_metadata(walk.lookup);
    return fail_task<SourceAnswer>(
        profile_mistake(walk, "has the credential_source " + in_quotes(source) +
                                  "; expected Environment, EcsContainer or Ec2InstanceMetadata"));
}

Task<Credentials> base_of_role(ProfileWalk walk) {
    const std::string profile = walk.property("source_profile");
    const std::string source = walk.property("credential_source");
    if (profile.empty() == source.empty())
        co_return fail(profile_mistake(
            walk,
            "has a role_arn, which needs exactly one of source_profile and credential_source"));
    if (!source.empty()) {
        const SourceAnswer answer = co_await ask_named_source(walk, source);
        if (!answer.credentials)
            co_return fail(ErrorCode::unauthenticated,
                           walk.where() + ": " + source + ": " + answer.absence);
        co_return *answer.credentials;
    }
    // A profile may be its own source, for the keys that it has.
    if (profile == walk.name()) {
        const std::optional<Credentials> keys = find_profile_keys(walk);
        if (keys) co_return *keys;
    }
    const ProfileWalk next = step_to_source(walk, profile);
    co_return co_await credentials_of_profile(next);
}

Task<Credentials> credentials_of_role(ProfileWalk walk) {
    if (!walk.property("mfa_serial").empty())
        co_return fail(profile_mistake(walk, "needs an MFA code of " + walk.property("mfa_serial") +
                                                 ", which a daemon cannot enter"));
    Credentials base = co_await base_of_role(walk);
    const RoleRequest role = profile_role_of(walk);
    co_return co_await assume_role(walk.lookup, std::move(base), role);
}

/// Why a profile without keys and without a role cannot be used; empty if nothing says so.
std::string why_there_are_none(const ProfileWalk& walk) {
    if (!walk.property("credential_process").empty())
        return "has a credential_process, which plugins cannot run: let the program write the keys "
               "to a profile, or use another source";
    for (const char* key : {"sso_session", "sso_start_url", "sso_account_id"}) {
        if (!walk.property(key).empty()) return "uses SSO, which is not supported: use a role";
    }
    return {};
}

Task<Credentials> credentials_of_profile(ProfileWalk walk) {
    const std::string token_file = walk.property("web_identity_token_file");
    if (!token_file.empty() && walk.property("role_arn").empty())
        co_return fail(profile_mistake(walk, "has a web_identity_token_file without a role_arn"));
    if (!token_file.empty()) {
        const RoleRequest role = profile_role_of(walk);
        co_return co_await assume_role_by_token(walk.lookup, token_file, role);
    }
    if (!walk.property("role_arn").empty() && (walk.names.size() == 1 || !find_profile_keys(walk)))
        co_return co_await credentials_of_role(walk);
    const std::optional<Credentials> keys = find_profile_keys(walk);
    if (keys) co_return *keys;
    const std::string why = why_there_are_none(walk);
    co_return fail(profile_mistake(walk, why.empty() ? "has neither keys nor a role" : why));
}

bool profile_has_credentials(const ProfileWalk& walk) {
    for (const char* key :
         {"role_arn", "web_identity_token_file", "aws_access_key_id", "aws_secret_access_key"}) {
        if (!walk.property(key).empty()) return true;
    }
    return !why_there_are_none(walk).empty();
}

std::string listed_profile_paths(const SharedFiles& files) {
    if (files.paths.empty()) return "no file (HOME is not set)";
    return listed(files.paths, [](const std::string& path) { return path; });
}

}  // namespace

Task<SourceAnswer> ask_profile(SharedLookup lookup) {
    const ProfileChoice choice = choose_profile(lookup->config.profile, lookup->variables);
    ProfileWalk walk;
    walk.lookup = lookup;
    walk.files = co_await read_shared_files(*lookup->environment, lookup->variables);
    walk.names.push_back(choice.name);
    SourceAnswer out;
    if (!walk.files->profiles.contains(choice.name)) {
        out.absence = "no " + walk.where() + " in " + listed_profile_paths(*walk.files);
        if (!choice.chosen_by.empty())
            co_return fail(ErrorCode::invalid_config,
                           out.absence + " (selected by " + choice.chosen_by + ")");
    } else if (!profile_has_credentials(walk)) {
        out.absence = walk.where() + " has neither keys nor a role";
    } else {
        out.credentials = co_await credentials_of_profile(walk);
    }
    co_return out;
}

}  // namespace capstan::aws
