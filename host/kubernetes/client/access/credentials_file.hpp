/// Small files that hold secrets. No error here tells what a file holds.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

namespace capstan::kubernetes::client {

inline constexpr std::size_t max_secret_file_bytes = std::size_t{1} << 20;

/// `invalid_config`: cannot be read, is a folder, or is longer than `max_bytes`. Names the file.
Result<std::string> read_small_file(const std::filesystem::path& file,
                                    std::size_t max_bytes = max_secret_file_bytes);

/// The token in a file, without the space around it. `invalid_config`: the file cannot be read, is
/// empty, or holds what no header can carry.
Result<std::string> read_token_file(const std::filesystem::path& file);

/// Visible ASCII, at least one character.
bool is_bearer_token(std::string_view text) noexcept;

/// What a PEM file is for.
enum class PemKind { certificate, private_key };
/// A file with at least one block of that kind.
Result<std::string> read_pem_file(const std::filesystem::path& file, PemKind kind);
bool has_pem(std::string_view text, PemKind kind) noexcept;

}  // namespace capstan::kubernetes::client
