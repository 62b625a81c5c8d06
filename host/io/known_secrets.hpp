/// Redacts the secrets of this process from its output, because a server, a proxy or a plugin may
/// quote in an error what it was sent.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace capstan::io {

/// Keeps fingerprints of secrets, not the secrets, so that a secret that is wiped after its use is
/// not in memory here. A text is searched at each position: a filter over the first bytes excludes
/// nearly all positions, and the digests of candidate lengths decide the rest. [any thread]
class KnownSecrets {
public:
    /// Shorter text does not count as a secret, because it occurs in too many words.
    static constexpr std::size_t least = 8;
    /// The limit of secrets; beyond it the oldest addition is dropped.
    static constexpr std::size_t most = 512;

    KnownSecrets();
    KnownSecrets(const KnownSecrets&) = delete;
    KnownSecrets& operator=(const KnownSecrets&) = delete;

    /// In a text of several lines, such as a PEM key, each long word of base64 is a secret of its
    /// own. A secret that is known already becomes the newest one.
    void add(std::string_view secret);
    /// `text` with "[redacted]" in place of each secret. A secret that is cut short is redacted as
    /// well, if at least 16 bytes of its beginning are left.
    std::string redacted(std::string text) const;

private:
    struct Part {
        std::size_t length;
        std::array<unsigned char, 32> digest;
    };
    struct Secret {
        std::uint64_t added;      ///< counts additions
        std::vector<Part> parts;  ///< from the whole to the shortest beginning
    };
    void add_one(std::string_view secret);
    std::uint64_t start_of(std::string_view text) const noexcept;
    std::array<unsigned char, 32> digest_of(std::string_view text) const;
    std::size_t match(std::string_view text) const;
    void forget_oldest();

    std::array<unsigned char, 32> key_{};
    mutable std::mutex mutex_;
    std::uint64_t additions_ = 0;
    /// By the first `least` bytes.
    std::unordered_multimap<std::uint64_t, Secret> secrets_;
    std::bitset<4096> starts_;  ///< a filter: bytes without their bit here begin no secret
};

/// The secrets of this process.
KnownSecrets& known_secrets();

/// `text` with this process's secrets redacted. Must be called before a text is cut.
std::string redacted(std::string text);

}  // namespace capstan::io
