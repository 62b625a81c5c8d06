/// The requests of one instance, behind capstan.http/1.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <capstan/abi/service_http.h>

#include "io/http_client.hpp"
#include "runtime/loop/task_board.hpp"
#include "runtime/services/operations.hpp"

namespace capstan::runtime {

/// Lets through what the instance's grants name. [any thread]
class PluginHttp : public std::enable_shared_from_this<PluginHttp> {
public:
    struct Options {
        std::vector<std::string> hosts;  ///< as Grants::http
        std::size_t max_open = 64;
    };
    PluginHttp(Options options, std::shared_ptr<io::HttpClient> client,
               std::shared_ptr<OperationTable> operations, std::shared_ptr<TaskBoard> tasks,
               std::shared_ptr<const io::Clock> clock);

    /// As capstan_http says.
    capstan_status send(const capstan_http_request& request, capstan_http_done done, void* user);
    /// Cancels the requests made for `parent`.
    void cancel(capstan_op parent);
    void cancel_all();

private:
    struct Open {
        capstan_op parent = 0;
        io::HttpClient::RequestId id = 0;  ///< 0: on its way to the client
        bool cancelled = false;
    };
    Result<HttpRequest> copy(const capstan_http_request& request) const;
    void began(std::uint64_t key, io::HttpClient::RequestId id);
    void cancel_if(const std::function<bool(const Open&)>& matches);

    const Options options_;
    const std::shared_ptr<io::HttpClient> client_;
    const std::shared_ptr<OperationTable> operations_;
    const std::shared_ptr<TaskBoard> tasks_;
    const std::shared_ptr<const io::Clock> clock_;
    std::mutex mutex_;
    std::uint64_t last_key_ = 0;
    std::map<std::uint64_t, Open> open_;
};

}  // namespace capstan::runtime
