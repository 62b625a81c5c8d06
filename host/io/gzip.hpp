/// Text files, compressed by gzip or not.
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

/// The limit of decompressed text, which a small file might exceed by far. The dump of a cluster of
/// 15,000 nodes fits.
inline constexpr std::uint64_t unpacked_bytes_max = std::uint64_t{4} << 30;

/// [one thread] Reads a text file from its beginning to its end. A file that is compressed by gzip
/// is decompressed, whatever its name.
class TextFile {
public:
    /// "-" is standard input. `not_found`: the file cannot be opened.
    static Result<TextFile> open(const std::filesystem::path& file,
                                 std::uint64_t unpacked_max = unpacked_bytes_max);

    /// Reads the next bytes of the text; 0: its end. `not_found`: the file cannot be read.
    /// `invalid_argument`: a compressed file exceeds `unpacked_max`, or is truncated or damaged.
    /// For damage and truncation the message says after which byte of the text.
    Result<std::size_t> read(std::span<char> into);
    /// "standard input", or the file's name as given to open().
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

/// The whole text of a file, read by TextFile.
Result<std::string> read_text(const std::filesystem::path& file,
                              std::uint64_t size_max = unpacked_bytes_max);

/// Compresses the text to the content of a .gz file. Equal texts give equal bytes.
std::string gzip(std::string_view text);

}  // namespace capstan::io
