/// A request to sign, in the form of signatures.py and its table.
#pragma once

#include <chrono>
#include <string>

#include <capstan/json.hpp>

#include "wire/signature.hpp"

namespace capstan::aws {

struct SignatureCase {
    HttpRequest request{};
    Credentials credentials{};
    SigningScope scope{};
    Time now{};
};

inline SignatureCase read_signature_case(const Json& row) {
    SignatureCase out;
    out.request = HttpRequest(row.text_at({"method"}), row.text_at({"url"}));
    for (const Json& header : row.find("headers")->items())
        out.request.header(header.items().at(0).text(), header.items().at(1).text());
    out.request.with_body(row.text_at({"body"}));
    out.credentials.access_key_id = row.text_at({"access_key_id"});
    out.credentials.secret_access_key = row.text_at({"secret_access_key"});
    out.credentials.session_token = row.text_at({"session_token"});
    out.scope = {row.text_at({"region"}), row.text_at({"service"})};
    out.now = Time(std::chrono::seconds(row.find("time")->integer().value()));
    return out;
}

inline std::string find_header(const HttpRequest& request, const std::string& name) {
    for (const auto& [key, value] : request.headers) {
        if (key == name) return value;
    }
    return {};
}

/// The authorization header.
inline std::string authorization_of(SignatureCase one) {
    sign(one.request, one.credentials, one.scope, one.now);
    return find_header(one.request, "authorization");
}

}  // namespace capstan::aws
