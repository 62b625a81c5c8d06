/// Notices of instances that are about to leave, from an SQS queue into which EventBridge writes.
///
///     NoticeQueue queue_{host_, client_, {.url = config.event_queue_url}};  // a member
///     queue_.start();                      // in start: listens until the plugin's instance stops
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
#include <capstan/standing_warnings.hpp>
#include <capstan/task.hpp>

#include "notice.hpp"

namespace capstan::aws {

class AwsClient;

struct NoticeQueueConfig {
    std::string url{};
    /// How long SQS waits for a message before it answers; 20 s is its maximum. Has to be shorter
    /// than the client's timeout of an attempt.
    std::chrono::seconds wait{20};
    std::size_t notices_max = 10'000;  ///< when exceeded, the oldest notice is dropped
    /// Messages are received only after two calls of `follow`, and until this time after the last
    /// call; or, if longer, until twice the time between the last two calls, at most ten minutes. A
    /// host that does not act, or that looks at the cloud once, leaves the messages to the one that
    /// acts. Absent: messages are received from the start on.
    std::optional<Duration> follow_time{};
};

/// [strand] The queue must have no other consumer: each message is deleted once it was received,
/// also if it is malformed or irrelevant. Messages that come twice or late do no harm. Before
/// messages are deleted, the notices of the instances that exist are saved in the plugin's state,
/// if that is granted: the next process, or the next host that acts, goes on with them.
class NoticeQueue {
public:
    NoticeQueue(const Host& host, AwsClient& client, NoticeQueueConfig config);

    /// Listens from now on, until the plugin's instance stops. Call once.
    void start();

    /// Absent if the instance has no notice.
    std::optional<Leaving> find(std::string_view instance_id) const;
    /// Takes the instances that exist now. Notices of other instances trigger no pass, and are
    /// dropped ten minutes after they came: a list may lag. The first call reads the saved notices,
    /// and so does the first call after a pause in which no messages were received.
    void follow(std::set<std::string, std::less<>> instance_ids);
    std::size_t size() const noexcept { return notices_.size(); }
    /// Why the queue cannot be read at present; absent if it can.
    const std::optional<Error>& last_error() const noexcept { return last_error_; }

private:
    struct StoredNotice {
        Notice notice{};
        Duration received_at{};    ///< by host.monotonic()
        std::uint64_t number = 0;  ///< ascending in the order of receipt
    };

    Task<void> listen();
    /// Receives one batch of messages, stores their notices and deletes them. Returns the number of
    /// messages.
    Task<std::size_t> receive();
    Task<void> remove(Json entries);
    bool is_followed() const;
    void store_message(const Json& message);
    void store_notice(Notice notice);
    void insert(Notice notice);
    void read_kept();
    void keep();
    void warn_of_malformed(const Error& error);
    /// Sets last_error_; logs the first of several errors with the same code, and the recovery.
    void set_last_error(const std::optional<Error>& error);
    Duration delay_after_failure();

    Host host_;
    AwsClient& client_;
    NoticeQueueConfig config_;
    Background background_;
    std::map<std::string, StoredNotice, std::less<>> notices_{};    ///< by instance
    std::optional<std::set<std::string, std::less<>>> existing_{};  ///< absent: unknown so far
    std::optional<Duration> followed_at_{};                         ///< by host.monotonic()
    Duration follow_interval_{};  ///< between the last two calls; zero: fewer than two
    std::string kept_{};          ///< the text in the state, as far as it is known
    StandingWarnings warnings_;
    std::optional<Error> last_error_{};
    std::set<std::string> logged_malformed_{};  ///< texts of the warnings
    std::uint64_t received_ = 0;
    int failures_ = 0;  ///< consecutive
};

}  // namespace capstan::aws
