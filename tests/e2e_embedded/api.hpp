/// An API server, or a daemon's admin port, as a test asks it, one request after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

namespace capstan::e2e {

class Api {
public:
    /// What was said, be it a refusal.
    struct Answer {
        int status = 0;
        std::string body{};
    };
    /// `token`: what is sent as bearer token; empty: none.
    explicit Api(std::string url, std::string token = {})
        : url_(std::move(url)), token_(std::move(token)) {}

    const std::string& url() const { return url_; }
    /// Throws only where no server answers.
    Answer answer(const std::string& path) const;
    /// Throws where there is no answer, or a refusal.
    boost::json::value get(const std::string& path) const;
    /// A merge patch.
    void patch(const std::string& path, const std::string& body) const;
    void create(const std::string& path, const std::string& body) const;

    /// Names, in order; `with` text in the object: only those.
    std::vector<std::string> names(const std::string& path, const std::string& with = {}) const;
    /// Nodes of that group that are ready and stay.
    int nodes_of(const std::string& group) const;
    /// Pods with that label `app` that run and are ready.
    int ready_pods(const std::string& app) const;
    void scale(const std::string& deployment, int replicas) const;
    /// The leader; empty: none.
    std::string leader() const;

private:
    std::string ask(const std::string& method, const std::string& path, const std::string& body,
                    const std::string& type) const;
    Answer send(const std::string& method, const std::string& path, const std::string& body,
                const std::string& type) const;
    std::string url_, token_;
};

}  // namespace capstan::e2e
