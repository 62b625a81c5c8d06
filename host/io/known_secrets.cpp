#include "io/known_secrets.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <capstan/ascii.hpp>

namespace capstan::io {
namespace {

constexpr std::string_view in_place_of_secret = "[redacted]";
/// The least length of a secret that was cut short.
constexpr std::size_t shortest_beginning = 16;
/// The least length of a base64 word in a text of several lines; a line of PEM has 64 bytes.
constexpr std::size_t shortest_word = 40;

bool is_base64(char c) noexcept {
    return is_ascii_alnum(c) || c == '+' || c == '/' || c == '=' || c == '-' || c == '_';
}

/// Whether `c` may continue a token. After the beginning of a secret, all such characters are
/// redacted.
bool is_bearer_character(char c) noexcept { return is_base64(c) || c == '.' || c == '~'; }

std::string_view trimmed_secret(std::string_view text) noexcept {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
        text.remove_suffix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
        text.remove_prefix(1);
    return text;
}

}  // namespace

KnownSecrets::KnownSecrets() { RAND_bytes(key_.data(), static_cast<int>(key_.size())); }

std::array<unsigned char, 32> KnownSecrets::digest_of(std::string_view text) const {
    std::array<unsigned char, 32> out{};
    unsigned size = 0;
    HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(), &size);
    return out;
}

/// A cheap hash of the first `least` bytes, because it is computed at each byte of a text.
std::uint64_t KnownSecrets::start_of(std::string_view text) const noexcept {
    std::uint64_t bytes = 0;
    std::uint64_t salt = 0;
    std::memcpy(&bytes, text.data(), least);
    std::memcpy(&salt, key_.data(), sizeof salt);
    bytes = (bytes ^ salt) * 0x9E3779B97F4A7C15u;
    return bytes ^ (bytes >> 29);
}

void KnownSecrets::add(std::string_view secret) {
    secret = trimmed_secret(secret);
    if (secret.find('\n') == std::string_view::npos) return add_one(secret);
    while (!secret.empty()) {
        const auto end = std::find_if_not(secret.begin(), secret.end(), is_base64);
        const auto length = static_cast<std::size_t>(end - secret.begin());
        if (length >= shortest_word) add_one(secret.substr(0, length));
        secret.remove_prefix(std::max<std::size_t>(length, 1));
    }
}

void KnownSecrets::add_one(std::string_view secret) {
    if (secret.size() < least) return;
    const std::lock_guard lock(mutex_);
    const std::uint64_t start = start_of(secret);
    Secret made{.added = ++additions_, .parts = {{secret.size(), digest_of(secret)}}};
    const auto [first, last] = secrets_.equal_range(start);
    for (auto known = first; known != last; ++known) {
        const Part& whole = known->second.parts.front();
        if (whole.length != secret.size() || whole.digest != made.parts.front().digest) continue;
        known->second.added = made.added;
        return;
    }
    std::size_t length = shortest_beginning;
    for (; length < secret.size(); length *= 2)
        made.parts.insert(made.parts.begin() + 1, {length, digest_of(secret.substr(0, length))});
    secrets_.emplace(start, std::move(made));
    starts_.set(start % starts_.size());
    if (secrets_.size() > most) forget_oldest();
}

void KnownSecrets::forget_oldest() {
    const auto oldest = std::min_element(
        secrets_.begin(), secrets_.end(),
        [](const auto& a, const auto& b) { return a.second.added < b.second.added; });
    secrets_.erase(oldest);
}

/// How many bytes at the beginning of `text` belong to a secret.
std::size_t KnownSecrets::match(std::string_view text) const {
    const std::uint64_t start = start_of(text);
    if (!starts_[start % starts_.size()]) return 0;
    std::size_t out = 0;
    const auto [first, last] = secrets_.equal_range(start);
    for (auto known = first; known != last; ++known) {
        const auto& parts = known->second.parts;
        for (const Part& part : parts) {
            if (part.length <= out || part.length > text.size()) continue;
            if (digest_of(text.substr(0, part.length)) != part.digest) continue;
            out = part.length;
            // The secret was cut at an unknown place, so following characters of a token count as
            // part of it.
            if (&part != &parts.front())
                while (out < text.size() && is_bearer_character(text[out])) ++out;
            break;
        }
    }
    return out;
}

std::string KnownSecrets::redacted(std::string text) const {
    const std::lock_guard lock(mutex_);
    if (secrets_.empty() || text.size() < least) return text;
    std::string out;
    std::size_t done = 0;
    for (std::size_t at = 0; at + least <= text.size();) {
        const std::size_t length = match(std::string_view(text).substr(at));
        if (length == 0) {
            ++at;
            continue;
        }
        out.append(text, done, at - done).append(in_place_of_secret);
        done = at += length;
    }
    return done == 0 ? text : out.append(text, done);
}

KnownSecrets& known_secrets() {
    static KnownSecrets all;
    return all;
}

std::string redacted(std::string text) { return known_secrets().redacted(std::move(text)); }

}  // namespace capstan::io
