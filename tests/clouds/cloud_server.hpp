/// A server that plays a cloud, and the proxy in front of it, as programs beside a story.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "../e2e/process.hpp"
#include "../e2e_embedded/api.hpp"
#include "../host/commands/shell.hpp"

namespace capstan::clouds {

inline constexpr const char* python = "build/python/bin/python";

/// The text of a file; empty: there is none.
std::string text_of(const std::filesystem::path& path);
void replace_all(std::string& text, const std::string& what, const std::string& by);

/// Why programs of tests that need this package of Python cannot run; empty: they can.
std::string package_missing_because(const std::string& package);

class CloudServer {
public:
    /// `folder`: it has the program `server`, which takes the world, and `wire.py` for the proxy.
    /// Throws where they do not come up, or the world makes no sense.
    CloudServer(const std::string& folder, const boost::json::object& world);
    CloudServer(const CloudServer&) = delete;
    CloudServer& operator=(const CloudServer&) = delete;
    virtual ~CloudServer() = default;

    /// Of the proxy, for Capstan.
    const std::string& url() const { return proxy_->url(); }
    /// Without what the proxy does, for tests and the joiner.
    const std::string& own_url() const { return server_->url(); }

    boost::json::value ask(const std::string& word) const;
    void tell(const std::string& word, const boost::json::value& value) const;
    /// Rules of the proxy in place of those before.
    void strike(const boost::json::array& rules) const;
    /// How often each of the rules has struck.
    std::vector<std::int64_t> hits() const;
    /// What of all requests and answers is not as the cloud's own models have it.
    std::vector<std::string> violations() const;
    /// What the programs have said.
    std::string log() const;
    /// A line for each request so far.
    virtual std::string calls_text() const = 0;

private:
    std::unique_ptr<e2e::Process> start(const std::string& program,
                                        const std::vector<std::string>& arguments,
                                        std::optional<e2e::Api>& api);

    commands::Folder folder_{};
    std::optional<e2e::Api> server_{}, proxy_{};
    std::unique_ptr<e2e::Process> server_process_, proxy_process_;
};

}  // namespace capstan::clouds
