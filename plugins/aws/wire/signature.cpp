#include "signature.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include <capstan/ascii.hpp>
#include <capstan/error.hpp>
#include <capstan/time_text.hpp>
#include <capstan/url.hpp>

namespace capstan::aws {
namespace {

constexpr std::string_view signing_algorithm = "AWS4-HMAC-SHA256";
constexpr std::size_t sha256_size = 32;
using Sha256Digest = std::array<unsigned char, sha256_size>;

std::string_view digest_bytes_of(const Sha256Digest& digest) noexcept {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

[[noreturn]] void throw_crypto_error(const char* what) {
    throw Failure(ErrorCode::internal, std::string("signature: libcrypto cannot compute ") + what);
}

Sha256Digest sha256_of(std::string_view bytes) {
    Sha256Digest out{};
    if (EVP_Digest(bytes.data(), bytes.size(), out.data(), nullptr, EVP_sha256(), nullptr) != 1)
        throw_crypto_error("SHA-256");
    return out;
}

Sha256Digest hmac_sha256(std::string_view key, std::string_view text) {
    Sha256Digest out{};
    unsigned int size = 0;
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(),
             &size) == nullptr)
        throw_crypto_error("HMAC");
    return out;
}

/// The parts of an absolute URL.
struct SignedUrl {
    std::string authority{};  ///< as the Host header has it: without a port that is the scheme's
    std::string_view path{}, query{};
};

SignedUrl split_signed_url(std::string_view url) {
    url = url.substr(0, url.find('#'));
    const std::size_t scheme = url.find("://");
    const bool is_plain = url.starts_with("http://");
    std::string_view rest = scheme == std::string_view::npos ? url : url.substr(scheme + 3);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
    rest.remove_prefix(authority.size());
    SignedUrl out;
    out.authority = lower_case(authority);
    const std::string_view port = is_plain ? ":80" : ":443";
    if (out.authority.ends_with(port)) out.authority.resize(out.authority.size() - port.size());
    out.path = rest.substr(0, rest.find('?'));
    if (out.path.size() < rest.size()) out.query = rest.substr(out.path.size() + 1);
    return out;
}

/// Without "." and "..", and without empty segments.
std::string normalized_path(std::string_view path) {
    std::vector<std::string_view> kept;
    const bool has_end = path.ends_with('/');
    while (!path.empty()) {
        const std::string_view segment = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), segment.size() + 1));
        if (segment == "..") {
            if (!kept.empty()) kept.pop_back();
        } else if (!segment.empty() && segment != ".") {
            kept.push_back(segment);
        }
    }
    std::string out;
    for (const std::string_view segment : kept) {
        out += '/';
        out += segment;
    }
    return has_end || out.empty() ? out + '/' : out;
}

std::string encoded_path(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        const std::string_view segment = path.substr(0, path.find('/'));
        out += percent_encode(segment);
        path.remove_prefix(segment.size());
        if (!path.empty()) out += '/', path.remove_prefix(1);
    }
    return out;
}

std::string canonical_path(std::string_view path, const SigningScope& scope) {
    if (scope.service == "s3") return path.empty() ? "/" : std::string(path);
    return encoded_path(normalized_path(path));
}

std::string canonical_query(std::string_view query) {
    std::vector<std::pair<std::string_view, std::string_view>> pairs;
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        const std::string_view name = pair.substr(0, pair.find('='));
        pairs.emplace_back(name, pair.substr(std::min(pair.size(), name.size() + 1)));
    }
    std::sort(pairs.begin(), pairs.end());
    std::string out;
    for (const auto& [name, value] : pairs) {
        if (!out.empty()) out += '&';
        out += name;
        out += '=';
        out += value;
    }
    return out;
}

/// Without white space around it, and with one blank for each run of white space within.
std::string trimmed_header(std::string_view value) {
    constexpr std::string_view white = " \t\r\n\v\f";
    std::string out;
    while (!value.empty()) {
        const std::size_t begin = value.find_first_not_of(white);
        if (begin == std::string_view::npos) break;
        value.remove_prefix(begin);
        const std::string_view word = value.substr(0, value.find_first_of(white));
        value.remove_prefix(word.size());
        if (!out.empty()) out += ' ';
        out += word;
    }
    return out;
}

/// Headers that proxies between the client and AWS may change.
bool is_unsigned_header(std::string_view name) noexcept {
    constexpr std::string_view names[] = {"authorization", "expect", "transfer-encoding",
                                          "user-agent", "x-amzn-trace-id"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Headers by lower-case name; the values of a repeated header are joined with commas.
std::map<std::string, std::string> headers_to_sign(const HttpRequest& request,
                                                   std::string_view authority) {
    std::map<std::string, std::string> out;
    for (const auto& [name, value] : request.headers) {
        const std::string key = lower_case(name);
        if (is_unsigned_header(key)) continue;
        const auto [at, is_new] = out.emplace(key, trimmed_header(value));
        if (!is_new) at->second += ',' + trimmed_header(value);
    }
    out.emplace("host", authority);
    return out;
}

std::string signed_names_of(const std::map<std::string, std::string>& headers) {
    std::string out;
    for (const auto& [name, value] : headers) out += (out.empty() ? "" : ";") + name;
    return out;
}

/// "20260101T000000Z"
std::string timestamp_of(Time now) {
    std::string out = format_rfc3339(std::chrono::floor<std::chrono::seconds>(now));
    std::erase_if(out, [](char c) { return c == '-' || c == ':'; });
    return out;
}

std::string signature_of(const Credentials& credentials, const SigningScope& scope,
                         std::string_view date, std::string_view text) {
    Sha256Digest key = hmac_sha256("AWS4" + credentials.secret_access_key, date);
    for (const std::string_view part :
         {std::string_view(scope.region), std::string_view(scope.service),
          std::string_view("aws4_request")})
        key = hmac_sha256(digest_bytes_of(key), part);
    return hex_text(digest_bytes_of(hmac_sha256(digest_bytes_of(key), text)));
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
    return hex_text(digest_bytes_of(sha256_of(bytes)));
}

std::string canonical_request(const HttpRequest& request, const SigningScope& scope) {
    const SignedUrl url = split_signed_url(request.url);
    const std::map<std::string, std::string> headers = headers_to_sign(request, url.authority);
    std::string out = request.method + '\n' + canonical_path(url.path, scope) + '\n' +
                      canonical_query(url.query) + '\n';
    for (const auto& [name, value] : headers) out += name + ':' + value + '\n';
    return out + '\n' + signed_names_of(headers) + '\n' + sha256_hex(request.body);
}

void sign(HttpRequest& request, const Credentials& credentials, const SigningScope& scope,
          Time now) {
    const std::string timestamp = timestamp_of(now);
    const std::string date = timestamp.substr(0, 8);
    request.header("x-amz-date", timestamp);
    if (!credentials.session_token.empty())
        request.header("x-amz-security-token", credentials.session_token);
    if (scope.service == "s3") request.header("x-amz-content-sha256", sha256_hex(request.body));
    const std::string place = date + '/' + scope.region + '/' + scope.service + "/aws4_request";
    const std::string text = std::string(signing_algorithm) + '\n' + timestamp + '\n' + place +
                             '\n' + sha256_hex(canonical_request(request, scope));
    const std::string names =
        signed_names_of(headers_to_sign(request, split_signed_url(request.url).authority));
    request.header("authorization",
                   std::string(signing_algorithm) + " Credential=" + credentials.access_key_id +
                       '/' + place + ", SignedHeaders=" + names +
                       ", Signature=" + signature_of(credentials, scope, date, text));
}

}  // namespace capstan::aws
