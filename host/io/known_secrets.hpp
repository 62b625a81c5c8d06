/// The secrets of this process, kept out of what it says: a server, a proxy or a plugin may repeat
/// in an error what it was sent.
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

/// Knows secrets by their fingerprints alone, so that a secret that is wiped after its use does not
/// live on here. [any thread]
class KnownSecrets {
public:
    /// Shorter text is no secret: it stands in too many words.
    static constexpr std::size_t least = 8;
    /// The most that are known at once; of more, those go that were added the longest ago.
    static constexpr std::size_t most = 512;

    KnownSecrets();
    KnownSecrets(const KnownSecrets&) = delete;
    KnownSecrets& operator=(const KnownSecrets&) = delete;

    /// Of a text of several lines, such as a key as PEM, each long word of base64 is a secret. What
    /// is known already becomes the newest.
    void add(std::string_view secret);
    /// `text` with "[redacted]" in place of each secret, and of the beginning of one, from 16 bytes
    /// on, that was cut short.
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
    std::bitset<4096> starts_;  ///< what is not in here begins no secret
};

/// Those of this process: what has been read as a secret stays one until it ends.
KnownSecrets& known_secrets();

/// `text` without the process' secrets. To be asked before a text is cut.
std::string redacted(std::string text);

}  // namespace capstan::io
