/// Requests to an API server or to a daemon's admin port, one after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

namespace capstan::e2e {

class Api {
public:
    /// Any response, also an error.
    struct Answer {
        int status = 0;
        std::string body{};
    };
    /// `token`: the bearer token; empty: none is sent.
    explicit Api(std::string url, std::string token = {})
        : url_(std::move(url)), token_(std::move(token)) {}

    const std::string& url() const { return url_; }
    /// The response to a GET. Throws only if no server responds.
    Answer answer(const std::string& path) const;
    /// The JSON of a GET. Throws without a response and on an error status; so do all functions
    /// below.
    boost::json::value get(const std::string& path) const;
    /// Sends a merge patch.
    void patch(const std::string& path, const std::string& body) const;
    void create(const std::string& path, const std::string& body) const;

    /// The names of the objects in a list that have the text `with` in their JSON, in its order.
    std::vector<std::string> names(const std::string& path, const std::string& with = {}) const;
    /// The number of ready nodes of this group of the simulated cloud.
    int nodes_of(const std::string& group) const;
    /// The number of ready pods whose label "app" has this value.
    int ready_pods(const std::string& app) const;
    void scale(const std::string& deployment, int replicas) const;
    /// The holder of the Lease; empty: no holder.
    std::string leader() const;

private:
    std::string ask(const std::string& method, const std::string& path, const std::string& body,
                    const std::string& type) const;
    Answer send(const std::string& method, const std::string& path, const std::string& body,
                const std::string& type) const;
    std::string url_, token_;
};

}  // namespace capstan::e2e
