/// Bodies that decompress to a thousand times their size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <boost/beast/zlib/deflate_stream.hpp>
#include <boost/crc.hpp>

namespace capstan::io {

/// `size` zeros, gzip-compressed.
inline std::string gzipped_zeros(std::size_t size) {
    namespace zlib = boost::beast::zlib;
    const std::string zeros(size, '\0');
    std::string packed(size / 512 + 4096, '\0');
    zlib::deflate_stream deflater;
    zlib::z_params z;
    z.next_in = zeros.data();
    z.avail_in = zeros.size();
    z.next_out = packed.data();
    z.avail_out = packed.size();
    boost::system::error_code end;
    deflater.write(z, zlib::Flush::finish, end);
    packed.resize(z.total_out);
    boost::crc_32_type crc;
    crc.process_bytes(zeros.data(), zeros.size());
    std::string tail;
    for (const auto number :
         {static_cast<std::uint32_t>(crc.checksum()), static_cast<std::uint32_t>(size)})
        for (int i = 0; i < 4; ++i) tail += static_cast<char>(number >> (8 * i) & 255);
    return std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) + packed + tail;
}

}  // namespace capstan::io
