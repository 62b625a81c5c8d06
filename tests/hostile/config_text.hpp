/// The configuration of an embedded cluster as text that a test changes.
#pragma once

#include <filesystem>
#include <string>

namespace capstan::hostile {

/// The content of a file; empty if it does not exist.
std::string content(const std::filesystem::path& file);

class ConfigText {
public:
    explicit ConfigText(const std::filesystem::path& file) : text_(content(file)) {}

    /// Replaces the first occurrence. Throws if there is none.
    void replace(const std::string& what, const std::string& by);
    void append(const std::string& sections) { text_ += sections; }
    /// The URL of the admin port.
    std::string admin() const;
    /// Returns `file`.
    std::filesystem::path write(const std::filesystem::path& file) const;

private:
    std::string text_;
};

}  // namespace capstan::hostile
