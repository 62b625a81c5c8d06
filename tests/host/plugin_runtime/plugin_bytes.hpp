/// Plugin files as bytes that tests modify, and temporary folders for them.
#pragma once

#include <capstan/abi/plugin.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace capstan::plugin_runtime {

using FileBytes = std::vector<std::byte>;

/// A built plugin of tests/host/plugin_runtime/plugins.
inline std::filesystem::path tiny_path(const std::string& name) {
    return std::filesystem::path(TINY_FOLDER) / (name + ".so");
}

inline FileBytes read_bytes_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
}

inline FileBytes tiny(const std::string& name = "tiny_expander") {
    return read_bytes_of(tiny_path(name));
}

inline FileBytes bytes_of(const std::string& text) {
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
}

/// `bytes` with `value` written at `at`.
template <class T>
FileBytes patched(FileBytes bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return bytes;
}

inline FileBytes cut(FileBytes bytes, std::size_t size) {
    bytes.resize(size);
    bytes.shrink_to_fit();
    return bytes;
}

/// The offset of the first occurrence of `text`.
inline std::size_t place_of(const FileBytes& bytes, const std::string& text) {
    const FileBytes wanted = bytes_of(text);
    const auto found = std::search(bytes.begin(), bytes.end(), wanted.begin(), wanted.end());
    if (found == bytes.end()) throw std::runtime_error("the file does not contain " + text);
    return static_cast<std::size_t>(found - bytes.begin());
}

/// The offset of the capstan_note.
inline std::size_t note_place(const FileBytes& bytes) {
    return place_of(bytes, std::string("CAP\0CAP1", 8)) - offsetof(capstan_note, name);
}

template <class T>
FileBytes with_note(FileBytes bytes, std::size_t member, T value) {
    const std::size_t at = note_place(bytes);
    return patched(std::move(bytes), at + member, value);
}

template <class T>
T value_at(const FileBytes& bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

/// The offset of the first program header of this type.
inline std::size_t segment_place(const FileBytes& bytes, std::uint32_t type) {
    const auto header = value_at<Elf64_Ehdr>(bytes, 0);
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
        const std::size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
        if (value_at<Elf64_Phdr>(bytes, at).p_type == type) return at;
    }
    throw std::runtime_error("no such segment");
}

/// The offset of the first dynamic entry with this tag.
inline std::size_t dynamic_place(const FileBytes& bytes, std::int64_t tag) {
    const auto segment = value_at<Elf64_Phdr>(bytes, segment_place(bytes, PT_DYNAMIC));
    for (std::size_t at = segment.p_offset; at < segment.p_offset + segment.p_filesz;
         at += sizeof(Elf64_Dyn))
        if (value_at<Elf64_Dyn>(bytes, at).d_tag == tag) return at;
    throw std::runtime_error("no such dynamic entry");
}

/// A temporary folder with mode 0700, removed with its content.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name =
            (std::filesystem::canonical(::testing::TempDir()) / "capstan-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path folder(const std::string& name, mode_t mode = 0755) const {
        std::filesystem::create_directories(path_ / name);
        ::chmod((path_ / name).c_str(), mode);
        return path_ / name;
    }
    /// A file with these bytes; the default mode is trusted.
    std::filesystem::path file(const std::string& name, const FileBytes& bytes,
                               mode_t mode = 0644) const {
        std::ofstream(path_ / name, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
        ::chmod((path_ / name).c_str(), mode);
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

/// The message of an error, or "no error".
template <class R>
std::string message_of(const R& result) {
    return result ? "no error" : result.error().message;
}

}  // namespace capstan::plugin_runtime
