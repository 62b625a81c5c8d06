/// Everything that is wrong with one configuration file, told at once:
///
///     capstan.toml:6:3: plugin.aws.settings: unknown key 'regoin'; did you mean 'region'?
///           regoin = "eu-central-1"
///           ^^^^^^
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/config/document.hpp"

namespace capstan::runtime::config {

/// A file as read. `name` is what messages call it.
struct Source {
    std::string name;
    std::string text;
};

/// As much as Kubernetes lets a ConfigMap hold.
inline constexpr std::size_t max_source_bytes = 1 << 20;

/// Reads a regular file of at most `max_source_bytes`; links are followed, for that is how
/// Kubernetes mounts a ConfigMap.
Result<Source> read_source(const std::filesystem::path& file);

enum class Severity { error, warning };

struct Diagnostic {
    Place place;
    Severity severity = Severity::error;
    std::string message;
};

/// Collects; nothing is printed until everything has been looked at. Messages may quote the file
/// and come from plugins: control characters are shown as '?'. One thread at a time.
class Diagnostics {
public:
    /// More than these are counted, not shown.
    static constexpr std::size_t shown_max = 100;

    explicit Diagnostics(Source source) : source_(std::move(source)) {}

    const Source& source() const noexcept { return source_; }
    void error(Place place, std::string message);
    void warning(Place place, std::string message);
    /// What stands there may be a secret: every line shown has '*' in its place. A place of length
    /// 1 hides the rest of its line.
    void hide(Place place);
    /// What a place's `option` counts: each is KEY=VALUE.
    void set_options(std::vector<std::string> options) { options_ = std::move(options); }

    std::size_t errors() const noexcept { return errors_; }
    bool empty() const noexcept { return all_.empty(); }
    /// By place; those of one place in the order they were found.
    std::vector<Diagnostic> sorted() const;
    /// The sorted list as text, each with its line and carets below, ending in a newline. Empty
    /// when there is nothing to say. Beyond `shown_max` it ends in "... and 7 more".
    std::string text() const;

private:
    /// "capstan.toml:6:3: warning: message" with a newline.
    std::string heading(const Diagnostic& diagnostic) const;

    Source source_;
    std::vector<std::string> options_;
    std::vector<Diagnostic> all_;
    std::vector<Place> hidden_;
    std::size_t errors_ = 0;
};

}  // namespace capstan::runtime::config
