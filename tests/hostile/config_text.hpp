/// The configuration of an embedded cluster, changed as text by a test.
#pragma once

#include <filesystem>
#include <string>

namespace capstan::hostile {

/// Whatever a file has; empty where there is none.
std::string content(const std::filesystem::path& file);

class ConfigText {
public:
    explicit ConfigText(const std::filesystem::path& file) : text_(content(file)) {}

    /// The first of it. Throws where it is not there.
    void replace(const std::string& what, const std::string& by);
    void append(const std::string& sections) { text_ += sections; }
    /// Of the admin port.
    std::string admin() const;
    /// The same path.
    std::filesystem::path write(const std::filesystem::path& file) const;

private:
    std::string text_;
};

}  // namespace capstan::hostile
