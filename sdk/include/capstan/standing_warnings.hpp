/// Warnings that are logged once, as long as their cause persists.
///
///     StandingWarnings warnings_{host_};                       // a member
///     warnings_.set("group " + id, find_notes(group));      // in each refresh
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

    /// All current warnings of a subject: logs those that are new.
    void set(const std::string& subject, std::vector<std::string> sentences) {
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
    void set(const std::string& subject, std::string sentence) {
        set(subject, std::vector<std::string>{std::move(sentence)});
    }
    /// Drops all warnings of a subject; they are logged again when they recur.
    void end(const std::string& subject) { said_.erase(subject); }

private:
    Host host_;
    std::map<std::string, std::vector<std::string>> said_{};
};

CAPSTAN_NAMESPACE_END
