/// Text that is packed by gzip: read as if it were not, and written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

struct gzFile_s;

namespace capstan::io {

/// What a small packed file may come to: the text of a cluster of 15,000 nodes has room.
inline constexpr std::uint64_t unpacked_bytes_max = std::uint64_t{4} << 30;

/// [one thread] A file of text, from its beginning to its end. One that gzip packed is unpacked on
/// the way, whatever its name.
class TextFile {
public:
    /// "-": standard input. `not_found`: it cannot be opened.
    static Result<TextFile> open(const std::filesystem::path& file,
                                 std::uint64_t unpacked_max = unpacked_bytes_max);

    /// The next bytes of the text; 0: its end. `not_found`: the file cannot be read.
    /// `invalid_argument`: it is packed, and ends too early, is damaged, or comes to more than
    /// `unpacked_max`; says after which byte of the text.
    Result<std::size_t> read(std::span<char> into);
    /// "standard input", or the file as it was named.
    const std::string& name() const noexcept { return name_; }

private:
    struct Closes {
        void operator()(gzFile_s* file) const noexcept;
    };
    TextFile(std::string name, gzFile_s* file, std::uint64_t unpacked_max);
    Unexpected failure() const;

    std::string name_;
    std::unique_ptr<gzFile_s, Closes> file_;
    std::uint64_t unpacked_max_;
    std::uint64_t taken_ = 0;
};

/// The whole text of a file, by the rules of TextFile; for files of which all is needed at once.
Result<std::string> read_text(const std::filesystem::path& file,
                              std::uint64_t size_max = unpacked_bytes_max);

/// The text as the content of a .gz file. Equal texts give equal bytes.
std::string gzip(std::string_view text);

}  // namespace capstan::io
