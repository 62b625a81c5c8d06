#include "runtime/plugin_files/elf_versions.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "runtime/plugin_files/refuse.hpp"

namespace capstan::runtime {

namespace {

constexpr int versions_max = 4096;

/// "2.34" as {2, 34}; empty when it is not numbers and dots.
std::vector<unsigned> numbers_of(std::string_view text) {
    std::vector<unsigned> numbers;
    while (true) {
        unsigned number = 0;
        const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc()) return {};
        numbers.push_back(number);
        text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
        if (text.empty()) return numbers;
        if (text.front() != '.') return {};
        text.remove_prefix(1);
    }
}

/// Keeps the newest version of each name.
class Floors {
public:
    void add(std::string_view version) {
        const std::size_t split = version.rfind('_');
        const std::vector<unsigned> numbers = split == std::string_view::npos
                                                  ? std::vector<unsigned>()
                                                  : numbers_of(version.substr(split + 1));
        const std::string name(numbers.empty() ? version : version.substr(0, split));
        auto& newest = newest_[name];
        if (newest.second.empty() || newest.first < numbers)
            newest = {numbers, std::string(version)};
    }
    std::vector<std::string> list() const {
        std::vector<std::string> all;
        for (const auto& [name, newest] : newest_) all.push_back(newest.second);
        std::ranges::sort(all);
        return all;
    }

private:
    std::map<std::string, std::pair<std::vector<unsigned>, std::string>> newest_;
};

}  // namespace

Result<std::string_view> StringTable::at(std::uint64_t offset) const {
    const Bytes rest = part(bytes_, offset);
    const void* end = rest.empty() ? nullptr : std::memchr(rest.data(), 0, rest.size());
    if (end == nullptr) return refuse("is damaged: a name is not inside its string table");
    const char* begin = reinterpret_cast<const char*>(rest.data());
    return std::string_view(begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin));
}

Result<std::vector<std::string>> read_version_floors(Bytes needed, const StringTable& strings) {
    Floors floors;
    int left = versions_max;
    for (std::uint64_t file_at = 0;;) {
        const auto file = read_at<Elf64_Verneed>(needed, file_at);
        if (!file) return refuse("is damaged: its symbol versions reach outside their segment");
        std::uint64_t at = file_at + file->vn_aux;
        for (std::uint32_t i = 0; i < file->vn_cnt; ++i) {
            const auto version = read_at<Elf64_Vernaux>(needed, at);
            if (!version || --left < 0)
                return refuse("is damaged: its symbol versions have no end");
            CAPSTAN_TRY(const std::string_view name, strings.at(version->vna_name));
            if (name.size() > 256)
                return refuse("is damaged: a symbol version is longer than 256 bytes");
            floors.add(name);
            at += version->vna_next;
        }
        if (file->vn_next == 0) return floors.list();
        if (--left < 0) return refuse("is damaged: its symbol versions have no end");
        file_at += file->vn_next;
    }
}

}  // namespace capstan::runtime
