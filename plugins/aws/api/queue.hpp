/// Notices of instances that are about to leave, from an SQS queue into which EventBridge writes.
///
///     NoticeQueue queue_{host_, client_, {.url = config.event_queue_url}};  // a member
///     queue_.start();                                // in start: listens until the instance stops
///     queue_.follow(ids_of(groups));                 // in each refresh
///     machine.leaves = queue_.find(instance.id);
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/background.hpp>
#include <capstan/cloud_view.hpp>
#include <capstan/error.hpp>
#include <capstan/host.hpp>
#include <capstan/json.hpp>
#include <capstan/task.hpp>

#include "notice.hpp"

namespace capstan::aws {

class AwsClient;

struct NoticeQueueConfig {
    std::string url{};
    /// How long SQS waits for a message before it answers; 20 s is its maximum. Shorter than the
    /// client's time-out of an attempt.
    std::chrono::seconds wait{20};
    std::size_t most_remembered = 10'000;  ///< notices; beyond it the oldest goes
};

/// [strand] The queue is ours alone: each message is deleted once it was read, one that cannot be
/// read or is of no concern, too. A message may come twice or late; both change nothing. What was
/// told is not kept across a restart.
class NoticeQueue {
public:
    NoticeQueue(const Host& host, AwsClient& client, NoticeQueueConfig config);

    /// Listens from now on, until the instance stops. Once.
    void start();

    /// Nothing: no notice of it came.
    std::optional<Leaving> find(std::string_view instance_id) const;
    /// The instances that exist now. What was told of others is forgotten ten minutes after it came
    /// (a list may lag), and wakes no pass.
    void follow(std::set<std::string, std::less<>> instance_ids);
    std::size_t size() const noexcept { return notices_.size(); }
    /// Why the queue cannot be read at present; nothing: it can.
    const std::optional<Error>& trouble() const noexcept { return trouble_; }

private:
    struct Known {
        Notice notice{};
        Duration came{};           ///< by host.monotonic()
        std::uint64_t number = 0;  ///< the oldest has the lowest
    };

    Task<void> listen();
    /// One answer, taken over and deleted. How many messages it had.
    Task<std::size_t> receive();
    Task<void> remove(Json entries);
    void take(const Json& message);
    void remember(Notice notice);
    void tell_malformed(const Error& error);
    /// The first of several equal ones is told, and the end of them.
    void note_trouble(const std::optional<Error>& error);
    Duration delay_after_failure();

    Host host_;
    AwsClient& client_;
    NoticeQueueConfig config_;
    Background background_;
    std::map<std::string, Known, std::less<>> notices_{};  ///< by instance
    std::optional<std::set<std::string, std::less<>>> existing_{};
    std::optional<Error> trouble_{};
    std::set<std::string> told_{};  ///< what was told of malformed messages
    std::uint64_t came_ = 0;
    int failures_ = 0;  ///< in a row
};

}  // namespace capstan::aws
