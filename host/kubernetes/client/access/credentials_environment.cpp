#include "kubernetes/client/access/credentials_environment.hpp"

#include <unistd.h>

#include <utility>

namespace capstan::kubernetes::client {

Environment Environment::of_process() {
    Environment out;
    for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
        const std::string_view line(*at);
        const std::size_t end = line.find('=');
        if (end == std::string_view::npos || end == 0) continue;
        out.set(std::string(line.substr(0, end)), std::string(line.substr(end + 1)));
    }
    return out;
}

std::string Environment::get(std::string_view name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::string() : found->second;
}

void Environment::set(std::string name, std::string value) {
    variables_.insert_or_assign(std::move(name), std::move(value));
}

std::vector<std::string> Environment::lines() const {
    std::vector<std::string> out;
    for (const auto& [name, value] : variables_) out.push_back(name + '=' + value);
    return out;
}

}  // namespace capstan::kubernetes::client
