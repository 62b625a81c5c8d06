/// Warnings that are logged once, for as long as what they say goes on.
///
///     StandingWarnings warnings_{host_};                       // a member
///     warnings_.tell("group " + id, find_notes(group));      // in each refresh
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <capstan/host.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// [strand]
class StandingWarnings {
public:
    explicit StandingWarnings(const Host& host) : host_(host) {}

    /// All that there is to say about a subject now: logs what it did not have before.
    void tell(const std::string& subject, std::vector<std::string> sentences) {
        std::vector<std::string>& said = said_[subject];
        for (const std::string& sentence : sentences) {
            if (std::find(said.begin(), said.end(), sentence) == said.end()) host_.warn(sentence);
        }
        if (sentences.empty()) {
            said_.erase(subject);
        } else {
            said = std::move(sentences);
        }
    }
    void tell(const std::string& subject, std::string sentence) {
        tell(subject, std::vector<std::string>{std::move(sentence)});
    }
    /// It is over; the same sentence is logged again when it comes back.
    void end(const std::string& subject) { said_.erase(subject); }

private:
    Host host_;
    std::map<std::string, std::vector<std::string>> said_{};
};

CAPSTAN_NAMESPACE_END
