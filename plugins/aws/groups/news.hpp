/// Warnings that are said once, for as long as what they say goes on.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <capstan/host.hpp>

namespace capstan::aws {

/// [strand]
class News {
public:
    explicit News(const Host& host) : host_(host) {}

    /// What there is to say about a subject now: warns of what it did not have before.
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
    /// It is over; the same sentence is news again.
    void end(const std::string& subject) { said_.erase(subject); }

private:
    Host host_;
    std::map<std::string, std::vector<std::string>> said_{};
};

}  // namespace capstan::aws
