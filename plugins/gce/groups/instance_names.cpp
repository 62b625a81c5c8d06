#include "instance_names.hpp"

#include <cstdint>
#include <string_view>

#include <capstan/sentence.hpp>

namespace capstan::gce {
namespace {

constexpr std::string_view name_letters = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t random_letters = 4;
constexpr std::size_t base_most = 63 - 1 - random_letters;
constexpr int tries_each = 100;

std::string random_name(const Host& host, const std::string& base) {
    std::string out = base + "-";
    std::uint64_t chance = host.random();
    for (std::size_t i = 0; i < random_letters; ++i) {
        out += name_letters[chance % name_letters.size()];
        chance /= name_letters.size();
    }
    return out;
}

}  // namespace

Result<std::vector<std::string>> choose_names(const Host& host, std::string base, std::size_t count,
                                              const std::set<std::string>& taken) {
    if (base.size() > base_most) base.resize(base_most);
    std::vector<std::string> out;
    std::set<std::string> chosen;
    while (out.size() < count) {
        std::string name;
        for (int tries = 0; name.empty() && tries < tries_each; ++tries) {
            std::string next = random_name(host, base);
            if (!taken.contains(next) && chosen.insert(next).second) name = std::move(next);
        }
        if (name.empty())
            return fail(ErrorCode::unavailable,
                        "no free instance name found with the prefix " + in_quotes(base + "-"));
        out.push_back(std::move(name));
    }
    return out;
}

}  // namespace capstan::gce
