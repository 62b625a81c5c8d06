#include "runtime/daemon/cloud_troubles.hpp"

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

namespace capstan::runtime::daemon {
namespace {

constexpr std::string_view clouds_source = "pass";

/// Problems begin with the name of their cloud: "plugin eu: refresh: ...".
std::string cloud_of(const Error& problem) {
    return problem.message.substr(0, problem.message.find(':'));
}

}  // namespace

void CloudTroubles::tell(const std::vector<Error>& problems, Time now) {
    for (auto& [name, cloud] : clouds_) cloud.present.clear();
    for (const Error& problem : problems) {
        const auto [at, is_new] = clouds_.try_emplace(cloud_of(problem));
        if (is_new) at->second.since = at->second.told_at = now;
        at->second.present.try_emplace({problem.code, problem.subject}, &problem);
    }
    for (auto at = clouds_.begin(); at != clouds_.end();) {
        auto& [name, cloud] = *at;
        if (!cloud.present.empty()) {
            tell_begun(cloud, now);
            ++at;
            continue;
        }
        log_.write(config::LogLevel::info, clouds_source,
                   name + ": nothing is in the way any more, after " +
                       format_rough_duration(now - cloud.since));
        at = clouds_.erase(at);
    }
    for (auto& [name, cloud] : clouds_) cloud.present.clear();
}

void CloudTroubles::tell_begun(Cloud& cloud, Time now) {
    const bool is_due = now - cloud.told_at >= quiet;
    std::erase_if(cloud.told,
                  [&](const Key& key) { return is_due || !cloud.present.contains(key); });
    if (is_due) cloud.told_at = now;
    const std::string how_long =
        is_due ? ", for " + format_rough_duration(now - cloud.since) : std::string();
    std::map<ErrorCode, std::vector<const Error*>> begun;
    for (const auto& [key, problem] : cloud.present)
        if (cloud.told.insert(key).second) begun[key.first].push_back(problem);
    for (const auto& [code, alike] : begun) write(alike, how_long);
}

void CloudTroubles::write(const std::vector<const Error*>& alike, const std::string& how_long) {
    std::string sentence = alike.front()->message;
    if (alike.size() > 1)
        sentence += " (and " + std::to_string(alike.size() - 1) + " more like it: " +
                    listed(std::vector(alike.begin() + 1, alike.end()),
                           [](const Error* error) { return error->subject; }) +
                    ")";
    log_.write(config::LogLevel::warn, clouds_source, sentence + how_long);
}

}  // namespace capstan::runtime::daemon
