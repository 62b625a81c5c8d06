/// All errors and warnings of one configuration file, reported at once:
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

#include "config/document.hpp"

namespace capstan::config {

/// The text of a file, and its name for messages.
struct Source {
    std::string name;
    std::string text;
};

/// The limit of a ConfigMap in Kubernetes.
inline constexpr std::size_t max_source_bytes = 1 << 20;

/// Reads a regular file of at most `max_source_bytes`. Symbolic links are followed, because
/// Kubernetes mounts a ConfigMap by links. An error does not name the file.
Result<Source> read_source(const std::filesystem::path& file);

enum class Severity { error, warning };

struct Diagnostic {
    Place place;
    Severity severity = Severity::error;
    std::string message;
};

/// Collects diagnostics until the whole file has been checked. Messages may quote the file, and may
/// come from plugins, so control characters are shown as '?'. One thread at a time.
class Diagnostics {
public:
    /// Further diagnostics are counted and not shown.
    static constexpr std::size_t shown_max = 100;

    explicit Diagnostics(Source source) : source_(std::move(source)) {}

    const Source& source() const noexcept { return source_; }
    void error(Place place, std::string message);
    void warning(Place place, std::string message);
    /// The text at `place` may be a secret, and is shown as '*' in all excerpts. A place of length
    /// 1 hides the rest of its line.
    void hide(Place place);
    /// The KEY=VALUE texts of the command line, to which Place::option refers.
    void set_options(std::vector<std::string> options) { options_ = std::move(options); }

    std::size_t errors() const noexcept { return errors_; }
    bool empty() const noexcept { return all_.empty(); }
    /// Sorted by place; diagnostics of one place are in the order of their addition.
    std::vector<Diagnostic> sorted() const;
    /// The sorted diagnostics as text, each with its line and carets below, ending in a newline.
    /// Empty: there is no diagnostic. Beyond `shown_max` the text ends in "... and 7 more".
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

}  // namespace capstan::config
