#include "io/gzip.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include <capstan/sentence.hpp>

#define ZLIB_CONST
#include <zlib.h>

namespace capstan::io {
namespace {

constexpr unsigned buffer_size = 256 * 1024;

Unexpected cannot_read(const std::string& name, int error) {
    return fail(ErrorCode::not_found,
                name + ": cannot be read: " + std::generic_category().message(error));
}

/// zlib's message without its own name of the file in front.
std::string_view what_zlib_says(gzFile file, int& code) {
    const std::string_view text = gzerror(file, &code);
    const std::size_t colon = text.find(": ");
    return colon == std::string_view::npos ? text : text.substr(colon + 2);
}

}  // namespace

void TextFile::Closes::operator()(gzFile_s* file) const noexcept { gzclose_r(file); }

TextFile::TextFile(std::string name, gzFile_s* file, std::uint64_t unpacked_max)
    : name_(std::move(name)), file_(file), unpacked_max_(unpacked_max) {}

Result<TextFile> TextFile::open(const std::filesystem::path& file, std::uint64_t unpacked_max) {
    const bool is_standard_input = file == "-";
    std::string name = is_standard_input ? "standard input" : file.string();
    const int fd = is_standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                     : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return cannot_read(name, errno);
    gzFile opened = gzdopen(fd, "rb");
    if (opened == nullptr) {
        ::close(fd);
        return cannot_read(name, ENOMEM);
    }
    gzbuffer(opened, buffer_size);
    return TextFile(std::move(name), opened, unpacked_max);
}

Unexpected TextFile::failure() const {
    const int error = errno;
    int code = Z_OK;
    const std::string_view why = what_zlib_says(file_.get(), code);
    if (code == Z_ERRNO) return cannot_read(name_, error);
    return fail(ErrorCode::invalid_argument,
                name_ + ": " +
                    (code == Z_BUF_ERROR ? "the gzip data is truncated"
                                         : "the gzip data is damaged: " + std::string(why)) +
                    ", after byte " + std::to_string(taken_) + " of the uncompressed text");
}

Result<std::size_t> TextFile::read(std::span<char> into) {
    constexpr std::size_t most = std::numeric_limits<int>::max();
    const int got =
        gzread(file_.get(), into.data(), static_cast<unsigned>(std::min(into.size(), most)));
    int code = Z_OK;
    what_zlib_says(file_.get(), code);
    if (got < 0 || (got == 0 && code != Z_OK)) return failure();
    taken_ += static_cast<std::uint64_t>(got);
    if (taken_ > unpacked_max_ && gzdirect(file_.get()) == 0)
        return fail(ErrorCode::invalid_argument,
                    name_ + ": the gzip data is larger than " +
                        counted(static_cast<std::int64_t>(unpacked_max_), "byte") +
                        " uncompressed; decompress the file first, then its size is not limited");
    return static_cast<std::size_t>(got);
}

Result<std::string> read_text(const std::filesystem::path& file, std::uint64_t size_max) {
    CAPSTAN_TRY(TextFile in, TextFile::open(file, size_max));
    std::string out;
    std::vector<char> piece(buffer_size);
    for (;;) {
        CAPSTAN_TRY(const std::size_t size, in.read(piece));
        if (size == 0) return out;
        if (out.size() + size > size_max)
            return fail(ErrorCode::invalid_argument,
                        in.name() + ": is larger than " +
                            counted(static_cast<std::int64_t>(size_max), "byte"));
        out.append(piece.data(), size);
    }
}

std::string gzip(std::string_view text) {
    constexpr int with_gzip_header = 16;
    constexpr int memory_level = 8;  // zlib's default
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    z_stream stream{};
    const int begun = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                                   MAX_WBITS + with_gzip_header, memory_level, Z_DEFAULT_STRATEGY);
    if (begun != Z_OK) throw std::bad_alloc();
    std::string out;
    std::vector<char> piece(buffer_size);
    int status = Z_OK;
    while (status == Z_OK) {
        if (stream.avail_in == 0) {
            const std::string_view next = text.substr(0, most);
            text.remove_prefix(next.size());
            stream.next_in = reinterpret_cast<const Bytef*>(next.data());
            stream.avail_in = static_cast<uInt>(next.size());
        }
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = buffer_size;
        status = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
        out.append(piece.data(), buffer_size - stream.avail_out);
    }
    deflateEnd(&stream);
    return out;
}

}  // namespace capstan::io
#undef ZLIB_CONST
