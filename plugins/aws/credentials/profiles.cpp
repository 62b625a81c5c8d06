#include "profiles.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/sentence.hpp>

namespace capstan::aws {
namespace {

constexpr std::string_view ini_blanks = " \t\r";

std::string_view trimmed_ini(std::string_view text) noexcept {
    const std::size_t begin = text.find_first_not_of(ini_blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(ini_blanks) - begin + 1);
}

/// The line without its comment, which begins with '#' or ';' at the start or after a blank.
std::string_view without_ini_comment(std::string_view line) noexcept {
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool is_marker = line[i] == '#' || line[i] == ';';
        if (is_marker && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t'))
            return line.substr(0, i);
    }
    return line;
}

std::string_view without_ini_quotes(std::string_view text) noexcept {
    const bool is_quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                           text.back() == text.front();
    return is_quoted ? text.substr(1, text.size() - 2) : text;
}

/// The name of the profile that a section defines; nullopt if the section is of another kind.
std::optional<std::string> find_profile_name(std::string_view section, ProfileFile kind) {
    section = trimmed_ini(section);
    if (kind == ProfileFile::credentials || section == "default")
        return std::string(without_ini_quotes(section));
    constexpr std::string_view word = "profile";
    const bool is_profile = section.starts_with(word) && section.size() > word.size() &&
                            ini_blanks.find(section[word.size()]) != std::string_view::npos;
    if (!is_profile) return std::nullopt;
    return std::string(without_ini_quotes(trimmed_ini(section.substr(word.size()))));
}

/// Parses a file line by line.
class ProfileReader {
public:
    explicit ProfileReader(ProfileFile kind) : kind_(kind) {}

    /// Parses the next line. Returns what is wrong with it; empty if nothing is.
    std::string take(std::string_view line) {
        const bool is_nested =
            !line.empty() && ini_blanks.find(line.front()) != std::string_view::npos;
        line = trimmed_ini(without_ini_comment(line));
        if (line.empty()) return {};
        if (line.front() == '[') return take_section(line);
        // Such as "max_attempts = 5" below "s3 =".
        if (is_nested && has_property_) return {};
        return take_property(line);
    }
    Profiles take_profiles() && { return std::move(out_); }

private:
    std::string take_section(std::string_view line) {
        const std::size_t end = line.find(']');
        if (end == std::string_view::npos) return "a section without ']'";
        const auto name = find_profile_name(line.substr(1, end - 1), kind_);
        has_section_ = true;
        has_property_ = false;
        current_ = name ? &out_[*name] : nullptr;
        return {};
    }
    std::string take_property(std::string_view line) {
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos || equals == 0)
            return "neither a section nor NAME = VALUE";
        if (!has_section_) return "a property before the first section";
        has_property_ = true;
        if (current_ != nullptr)
            (*current_)[lower_case(trimmed_ini(line.substr(0, equals)))] =
                trimmed_ini(line.substr(equals + 1));
        return {};
    }

    ProfileFile kind_;
    Profiles out_{};
    Profile* current_ = nullptr;
    bool has_section_ = false, has_property_ = false;
};

struct SharedPath {
    std::string path{};      ///< empty: HOME is not set
    bool is_chosen = false;  ///< a variable names the path
};

SharedPath path_of_file(const Variables& variables, const char* variable, const char* name) {
    const std::string home = find_variable(variables, "HOME");
    std::string path = find_variable(variables, variable);
    if (path.starts_with("~/") && !home.empty()) return {home + path.substr(1), true};
    if (!path.empty()) return {std::move(path), true};
    return {home.empty() ? home : home + "/.aws/" + name, false};
}

/// The file's text; empty if the file does not exist. A container that runs as another user than
/// the image's may be unable to read HOME. So a file that no variable names counts as missing if it
/// cannot be read, and `files->paths` has the reason.
Task<std::string> read_shared_file(Environment& environment, std::shared_ptr<SharedFiles> files,
                                   SharedPath from) {
    const Result<std::string> text = co_await as_result(environment.read_file(from.path));
    const bool is_absent = !text && text.error().code == ErrorCode::not_found;
    if (!text && !is_absent && from.is_chosen) co_return fail(text.error());
    files->paths.push_back(text || is_absent ? from.path : text.error().message);
    co_return text.value_or(std::string());
}

/// Adds what the file says to `files`.
Task<void> add_shared_file(Environment& environment, std::shared_ptr<SharedFiles> files,
                           SharedPath from, ProfileFile kind) {
    if (from.path.empty()) co_return;
    const std::string text = co_await read_shared_file(environment, files, from);
    Result<Profiles> read = parse_profiles(text, kind);
    if (!read) throw Failure(within(in_quotes(from.path), read.error()));
    for (auto& [name, profile] : *read) {
        Profile& known = files->profiles[name];
        for (auto& [key, value] : profile) known[key] = value;
    }
}

}  // namespace

std::string find_property(const Profile& profile, std::string_view name) {
    const auto found = profile.find(name);
    return found == profile.end() ? std::string() : found->second;
}

Result<Profiles> parse_profiles(std::string_view text, ProfileFile kind) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    ProfileReader reader(kind);
    for (int number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::string mistake = reader.take(line);
        if (!mistake.empty())
            return fail(ErrorCode::invalid_config,
                        "line " + std::to_string(number) + " is " + mistake);
    }
    return std::move(reader).take_profiles();
}

Task<std::shared_ptr<const SharedFiles>> read_shared_files(Environment& environment,
                                                           Variables variables) {
    const auto out = std::make_shared<SharedFiles>();
    const SharedPath config = path_of_file(variables, "AWS_CONFIG_FILE", "config");
    const SharedPath keys = path_of_file(variables, "AWS_SHARED_CREDENTIALS_FILE", "credentials");
    co_await add_shared_file(environment, out, config, ProfileFile::config);
    co_await add_shared_file(environment, out, keys, ProfileFile::credentials);
    co_return std::shared_ptr<const SharedFiles>(out);
}

ProfileChoice choose_profile(const std::string& setting, const Variables& variables) {
    if (!setting.empty()) return {setting, "credentials.profile"};
    for (const char* name : {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"}) {
        std::string profile = find_variable(variables, name);
        if (!profile.empty()) return {std::move(profile), name};
    }
    return {"default", {}};
}

}  // namespace capstan::aws
