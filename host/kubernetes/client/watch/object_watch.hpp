/// Follows objects of one kind as JSON, with everything they have: for those who know what to make
/// of them. What this program reads itself is followed by Reflector, which keeps less.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include <capstan/error.hpp>

#include "io/loop.hpp"
#include "kubernetes/client/api.hpp"
#include "kubernetes/client/watch/watch_backoff.hpp"
#include "kubernetes/client/watch/watch_setback.hpp"
#include "kubernetes/client/watch/watch_silence.hpp"

namespace capstan::kubernetes {

/// Tells every object as `added`, then `synced`, then what happens. It resumes where it was cut
/// off, lists again where that cannot be, and leaves out what has been told: of an object no
/// version comes twice. Remembers names, uids and versions only. Used on the loop's thread alone.
class ObjectWatch {
public:
    enum class Change : std::uint8_t {
        added,
        modified,
        deleted,  ///< of one that vanished unseen: kind and name alone
        synced,   ///< all there was has been told; the object is empty
    };
    struct Options {
        std::string path{};             ///< of the collection
        ApiRequest::Query selectors{};  ///< of the list and of the watch
        std::string api_version{};      ///< of its objects, which do not say so in a list
        std::string kind{};
        std::int64_t page = 500;  ///< objects in a page of a list
        std::string purpose{};    ///< as ApiRequest has it
        std::uint64_t seed = 0;   ///< of jitter
        std::function<void(Change, const boost::json::object&)> on_change{};
        /// What went wrong, once until it is over; then something is told to on_change. A version
        /// that is no longer kept is no trouble.
        std::function<void(const Error&)> on_trouble{};
    };
    /// Borrows both.
    ObjectWatch(Api& api, io::Loop& loop, Options options);
    ObjectWatch(const ObjectWatch&) = delete;
    ObjectWatch& operator=(const ObjectWatch&) = delete;
    /// Cancels what is open; nobody is called back afterwards. Not inside its own callbacks.
    ~ObjectWatch();

    /// Once.
    void start();
    /// Asks for nothing more; what has come already is still told. Also inside on_change.
    void pause();
    /// Goes on where it was.
    void resume();

private:
    struct Known {
        std::string uid{}, version{};
        std::uint64_t seen_in = 0;  ///< the list, counted
    };

    // What to do: each drops what was done before.
    void list();
    void list_page();
    void watch();
    void go_on();
    void wait(Duration delay);
    void drop();
    void take_silence(WatchSilence::Meaning meaning);

    // What comes back.
    void take_page(Result<ApiReply> reply);
    Result<void> take_items(const boost::json::object& page);
    void finish_list(std::string version);
    void take_part(std::string_view part);
    Result<void> take_line(std::string_view line);
    void take_end(const Result<ApiReply>& reply);
    void take_present(const boost::json::object& object);
    void take_deleted(const boost::json::object& object);
    void end_trouble();
    void set_back(const Error& error, Setback what);
    void tell(Change change, const boost::json::object& object);
    void tell_vanished(const std::string& key, const Known& known);
    std::string what_is_done() const;

    Api& api_;
    io::Loop& loop_;
    const Options options_;
    WatchBackoff backoff_;
    io::RandomSource random_;
    bool is_paused_ = false;
    bool is_listing_ = true;                ///< not all has been told since the last list began
    std::map<std::string, Known> known_{};  ///< by "namespace/name"
    std::uint64_t lists_ = 0;
    std::string next_page_{};
    std::string version_{};  ///< the last one seen
    std::string rest_{};     ///< of a line that has not come whole
    bool is_in_trouble_ = false;
    std::optional<Error> last_trouble_{};
    std::optional<Api::RequestId> request_{};
    std::optional<io::TimerId> timer_{};
    WatchSilence silence_;
    Duration opened_{};
    bool has_events_ = false;
    /// Callbacks of what has been dropped find it gone.
    std::shared_ptr<char> present_ = std::make_shared<char>();
};

}  // namespace capstan::kubernetes
