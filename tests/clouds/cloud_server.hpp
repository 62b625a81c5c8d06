/// A server that simulates a cloud, and the proxy in front of it, as processes of a test.
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

/// The text of a file; empty if it does not exist.
std::string text_of(const std::filesystem::path& path);
void replace_all(std::string& text, const std::string& what, const std::string& by);

/// Why tests that need this Python package cannot run; empty if it is installed.
std::string package_missing_because(const std::string& package);

class CloudServer {
public:
    /// `folder` contains the program `server`, which reads the setup, and `wire.py` for the proxy.
    /// Throws if they do not start or the setup is invalid.
    CloudServer(const std::string& folder, const boost::json::object& setup);
    CloudServer(const CloudServer&) = delete;
    CloudServer& operator=(const CloudServer&) = delete;
    virtual ~CloudServer() = default;

    /// The URL of the proxy, for Capstan.
    const std::string& url() const { return proxy_->url(); }
    /// The URL of the server itself, without the faults of the proxy: for tests and the joiner.
    const std::string& own_url() const { return server_->url(); }

    boost::json::value get(const std::string& word) const;
    void set(const std::string& word, const boost::json::value& value) const;
    /// Replaces the rules of the proxy.
    void set_faults(const boost::json::array& rules) const;
    /// How often each of the rules was applied.
    std::vector<std::int64_t> fault_counts() const;
    /// Requests and responses that do not fit the models of the cloud.
    std::vector<std::string> violations() const;
    /// The output of the processes.
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
