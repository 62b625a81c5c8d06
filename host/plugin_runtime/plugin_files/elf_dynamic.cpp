#include "plugin_runtime/plugin_files/elf_dynamic.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "plugin_runtime/plugin_files/elf_file.hpp"
#include "plugin_runtime/plugin_files/needed_libraries.hpp"
#include "plugin_runtime/plugin_files/refuse.hpp"

namespace capstan::plugin_runtime::plugin_files {

namespace {

constexpr std::size_t entries_max = 4096;
constexpr std::uint64_t symbols_max = 1u << 20;
constexpr std::size_t symbol_text_max = std::size_t{64} << 20;

Result<std::vector<Elf64_Dyn>> read_entries(const ElfImage& image) {
    const Elf64_Phdr* segment = image.find_segment(PT_DYNAMIC);
    if (segment == nullptr)
        return refuse("has no dynamic section: it was not linked as a shared object");
    const Bytes table = image.from(segment->p_vaddr);
    std::vector<Elf64_Dyn> entries;
    while (entries.size() < entries_max) {
        const auto entry = read_at<Elf64_Dyn>(table, entries.size() * sizeof(Elf64_Dyn));
        if (!entry) break;
        if (entry->d_tag == DT_NULL) return entries;
        entries.push_back(*entry);
    }
    return refuse("is damaged: its dynamic section has no end");
}

/// The entries of the dynamic section. If a tag occurs twice, the last entry counts, as in the
/// loader.
class Dynamic {
public:
    explicit Dynamic(std::vector<Elf64_Dyn> entries) : entries_(std::move(entries)) {}

    std::optional<std::uint64_t> find(std::int64_t tag) const {
        for (auto e = entries_.rbegin(); e != entries_.rend(); ++e)
            if (e->d_tag == tag) return e->d_un.d_val;
        return std::nullopt;
    }
    bool has_flag(std::int64_t tag, std::uint64_t flag) const {
        return (find(tag).value_or(0) & flag) != 0;
    }
    const std::vector<Elf64_Dyn>& entries() const { return entries_; }

private:
    std::vector<Elf64_Dyn> entries_;
};

Result<StringTable> read_strings(const ElfImage& image, const Dynamic& dynamic) {
    const std::uint64_t size = dynamic.find(DT_STRSZ).value_or(0);
    const Bytes table = image.from(dynamic.find(DT_STRTAB).value_or(0));
    if (size == 0 || table.size() < size)
        return refuse("is damaged: its string table is not inside a segment");
    return StringTable(part(table, 0, size));
}

Result<void> check_flags(const Dynamic& dynamic) {
    if (dynamic.has_flag(DT_FLAGS_1, DF_1_PIE)) return refuse("is a program, not a shared object");
    if (dynamic.has_flag(DT_FLAGS_1, DF_1_NOOPEN))
        return refuse("may not be opened: it is linked with -z nodlopen");
    if (dynamic.find(DT_TEXTREL) || dynamic.has_flag(DT_FLAGS, DF_TEXTREL))
        return refuse("would rewrite its own code (text relocations); compile it with -fPIC");
    return {};
}

Result<void> check_run_path(const std::string& folder) {
    if (folder.find("ORIGIN") != std::string::npos)
        return refuse("has the run path \"" + folder +
                      "\", which does not work for the private copy that the host loads; link it "
                      "with an absolute run path");
    if (!folder.starts_with('/'))
        return refuse(
            "has the run path \"" + folder +
            "\", which depends on the working directory; link it with an absolute run path");
    return {};
}

Result<LibraryNeeds> read_names(const Dynamic& dynamic, const StringTable& strings) {
    LibraryNeeds needs;
    for (const Elf64_Dyn& entry : dynamic.entries()) {
        const bool is_path = entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH;
        if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME && !is_path) continue;
        CAPSTAN_TRY(const std::string_view name, strings.at(entry.d_un.d_val));
        // No path is that long. The limit bounds the memory of 4096 entries.
        if (name.size() > 4096)
            return refuse("is damaged: a library name is longer than 4096 bytes");
        if (entry.d_tag == DT_NEEDED) needs.needed.emplace_back(name);
        if (entry.d_tag == DT_SONAME) needs.soname = name;
        if (!is_path) continue;
        auto& folders = entry.d_tag == DT_RPATH ? needs.early_folders : needs.late_folders;
        for (std::string& folder : split_folders(name)) folders.push_back(std::move(folder));
    }
    return needs;
}

Result<void> take_needs(LibraryNeeds needs, ElfFacts& facts) {
    facts.run_paths_are_early = needs.late_folders.empty();
    for (auto* folders : {&needs.early_folders, &needs.late_folders})
        for (std::string& folder : *folders) {
            CAPSTAN_CHECK(check_run_path(folder));
            facts.run_paths.push_back(std::move(folder));
        }
    facts.soname = std::move(needs.soname);
    facts.needed = std::move(needs.needed);
    return {};
}

/// The offset of `some` in the file that it is a part of.
std::uint64_t place_in(Bytes file, Bytes some) {
    return static_cast<std::uint64_t>(some.data() - file.data());
}

/// The number of symbols. A GNU hash table does not have it, so it is the end of the last chain.
std::optional<std::uint64_t> count_by_gnu_hash(Bytes table) {
    const auto bucket_count = read_at<std::uint32_t>(table, 0),
               first = read_at<std::uint32_t>(table, 4),
               bloom_words = read_at<std::uint32_t>(table, 8);
    if (!bucket_count || !first || !bloom_words) return std::nullopt;
    const std::uint64_t buckets_at = 16 + std::uint64_t{*bloom_words} * 8;
    const std::uint64_t chains_at = buckets_at + std::uint64_t{*bucket_count} * 4;
    if (chains_at > table.size()) return std::nullopt;
    std::uint64_t last = 0;
    const Bytes buckets = part(table, buckets_at, chains_at - buckets_at);
    for (std::uint64_t at = 0; const auto bucket = read_at<std::uint32_t>(buckets, at); at += 4)
        last = std::max<std::uint64_t>(last, *bucket);
    if (last < *first) return *first;
    for (;; ++last) {
        const auto link = read_at<std::uint32_t>(table, chains_at + (last - *first) * 4);
        if (!link) return std::nullopt;
        if ((*link & 1) != 0) return last + 1;
    }
}

Result<std::uint64_t> count_symbols(const ElfImage& image, const Dynamic& dynamic) {
    std::optional<std::uint64_t> count;
    if (const auto at = dynamic.find(DT_GNU_HASH)) {
        count = count_by_gnu_hash(image.from(*at));
    } else if (const auto old = dynamic.find(DT_HASH)) {
        count = read_at<std::uint32_t>(image.from(*old), 4);
    } else {
        return refuse("has no symbol hash table, so its symbols cannot be found");
    }
    if (!count || *count > symbols_max)
        return refuse("is damaged: its symbol hash table is invalid");
    return *count;
}

void add_symbol(const Elf64_Sym& symbol, std::string_view name, ElfFacts& facts) {
    const int binding = ELF64_ST_BIND(symbol.st_info);
    const int type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF) {
        facts.imports.emplace_back(name);
        return;
    }
    const int visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    if (binding == STB_LOCAL || visibility == STV_HIDDEN || visibility == STV_INTERNAL) return;
    facts.exports.push_back({std::string(name), symbol.st_size, type == STT_OBJECT});
    if (binding == STB_GNU_UNIQUE) facts.unique_symbols.emplace_back(name);
}

Result<void> read_symbols(const ElfImage& image, const Dynamic& dynamic, const StringTable& strings,
                          ElfFacts& facts) {
    CAPSTAN_TRY(const std::uint64_t count, count_symbols(image, dynamic));
    const Bytes table = image.from(dynamic.find(DT_SYMTAB).value_or(0));
    if (table.size() / sizeof(Elf64_Sym) < count)
        return refuse("is damaged: its symbol table is not inside a segment");
    const Bytes symbols = part(table, 0, count * sizeof(Elf64_Sym));
    std::size_t text = 0;
    std::uint64_t at = sizeof(Elf64_Sym);  // the first symbol is empty
    for (; const auto symbol = read_at<Elf64_Sym>(symbols, at); at += sizeof(Elf64_Sym)) {
        CAPSTAN_TRY(const std::string_view name, strings.at(symbol->st_name));
        if (name.empty()) continue;
        text += name.size();
        if (text > symbol_text_max) return refuse("has more than 64 MiB of symbol names");
        add_symbol(*symbol, name, facts);
    }
    return {};
}

}  // namespace

Result<void> read_dynamic(const ElfImage& image, ElfFacts& facts) {
    CAPSTAN_TRY(std::vector<Elf64_Dyn> entries, read_entries(image));
    const Dynamic dynamic(std::move(entries));
    CAPSTAN_CHECK(check_flags(dynamic));
    CAPSTAN_TRY(const StringTable strings, read_strings(image, dynamic));
    facts.bind_now = dynamic.find(DT_BIND_NOW).has_value() ||
                     dynamic.has_flag(DT_FLAGS, DF_BIND_NOW) ||
                     dynamic.has_flag(DT_FLAGS_1, DF_1_NOW);
    facts.never_unloads = dynamic.has_flag(DT_FLAGS_1, DF_1_NODELETE);
    CAPSTAN_TRY(LibraryNeeds needs, read_names(dynamic, strings));
    CAPSTAN_CHECK(take_needs(std::move(needs), facts));
    CAPSTAN_CHECK(read_symbols(image, dynamic, strings, facts));
    if (const auto at = dynamic.find(DT_VERNEED)) {
        CAPSTAN_TRY(facts.required_versions, read_required_versions(image.from(*at), strings));
    }
    return {};
}

std::vector<std::string> split_folders(std::string_view list) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(':', at), list.size());
        out.emplace_back(list.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

Result<LibraryNeeds> read_library_needs(PartialFile& file) {
    CAPSTAN_TRY(const ElfImage image, read_image(file));
    if (const Elf64_Phdr* segment = image.find_segment(PT_DYNAMIC)) {
        const Bytes table = image.from(segment->p_vaddr);
        if (!table.empty())
            CAPSTAN_CHECK(
                file.fetch(place_in(file.bytes(), table), (entries_max + 1) * sizeof(Elf64_Dyn)));
    }
    CAPSTAN_TRY(std::vector<Elf64_Dyn> entries, read_entries(image));
    const Dynamic dynamic(std::move(entries));
    const Bytes text = image.from(dynamic.find(DT_STRTAB).value_or(0));
    if (!text.empty())
        CAPSTAN_CHECK(file.fetch(
            place_in(file.bytes(), text),
            std::min<std::uint64_t>(dynamic.find(DT_STRSZ).value_or(0), symbol_text_max)));
    CAPSTAN_TRY(const StringTable strings, read_strings(image, dynamic));
    return read_names(dynamic, strings);
}

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
class NewestVersions {
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

Result<std::vector<std::string>> read_required_versions(Bytes needed, const StringTable& strings) {
    NewestVersions newest;
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
            newest.add(name);
            at += version->vna_next;
        }
        if (file->vn_next == 0) return newest.list();
        if (--left < 0) return refuse("is damaged: its symbol versions have no end");
        file_at += file->vn_next;
    }
}

}  // namespace capstan::plugin_runtime::plugin_files
