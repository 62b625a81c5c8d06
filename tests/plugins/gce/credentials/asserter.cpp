// asserter: reads assertions from standard input, one per line in JSON, and writes the token of
// each.
#include <chrono>
#include <iostream>
#include <string>

#include <capstan/json.hpp>

#include "credentials/assertion.hpp"

int main() {
    using namespace capstan;
    for (std::string line; std::getline(std::cin, line);) {
        const Result<Json> row = parse_json(line);
        if (!row) return std::cerr << row.error().message << '\n', 1;
        const gce::Assertion assertion{
            .issuer = row->text_at({"issuer"}),
            .scopes = row->text_at({"scopes"}),
            .audience = row->text_at({"audience"}),
            .key_id = row->text_at({"key_id"}),
            .at = Time(std::chrono::seconds(std::stoll(row->text_at({"at"}))))};
        const auto token = gce::sign_assertion(assertion, row->text_at({"private_key"}));
        if (!token) return std::cerr << token.error().message << '\n', 1;
        std::cout << *token << '\n';
    }
    return 0;
}
