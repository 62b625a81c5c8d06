#include "config_text.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace capstan::hostile {

std::string content(const std::filesystem::path& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return std::move(out).str();
}

void ConfigText::replace(const std::string& what, const std::string& by) {
    const std::size_t at = text_.find(what);
    if (at == std::string::npos) throw std::runtime_error("no '" + what + "' in\n" + text_);
    text_.replace(at, what.size(), by);
}

std::string ConfigText::admin() const {
    const std::string before = "listen = \"";
    const std::size_t at = text_.find(before);
    if (at == std::string::npos) throw std::runtime_error("no admin port in\n" + text_);
    const std::size_t from = at + before.size();
    return "http://" + text_.substr(from, text_.find('"', from) - from);
}

std::filesystem::path ConfigText::write(const std::filesystem::path& file) const {
    std::ofstream(file) << text_;
    return file;
}

}  // namespace capstan::hostile
