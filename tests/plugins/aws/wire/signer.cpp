// signer: reads requests from standard input, one per line in JSON, and writes the authorization
// header of each.
#include <cstdio>
#include <iostream>
#include <string>

#include "signature_case.hpp"

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        const capstan::Result<capstan::Json> row = capstan::parse_json(line);
        if (!row) return std::cerr << row.error().message << '\n', 1;
        std::cout << capstan::aws::authorization_of(capstan::aws::read_signature_case(*row))
                  << '\n';
    }
    return 0;
}
