/// Follows objects of one kind as JSON, with everything they have, for plugins. What this program
/// reads itself goes from the same Reflector into a mirror, which keeps less.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <boost/json/object.hpp>

#include <capstan/error.hpp>

#include "io/loop.hpp"
#include "kubernetes/client/kube_api.hpp"
#include "kubernetes/client/watch/reflector.hpp"

namespace capstan::kubernetes::client {

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
        /// that is no longer kept is told from the third time within a minute on, right after an
        /// outage from the sixth.
        std::function<void(const Error&)> on_trouble{};
    };
    /// Borrows both. Its destructor cancels what is open; no callback runs afterwards. It must not
    /// go inside its own callbacks.
    ObjectWatch(Api& api, io::Loop& loop, const Options& options);
    ObjectWatch(const ObjectWatch&) = delete;
    ObjectWatch& operator=(const ObjectWatch&) = delete;

    /// Once.
    void start() { reflector_.start(); }
    /// Asks for nothing more; what has come already is still told. Also inside on_change.
    void pause() { reflector_.pause(); }
    /// Goes on where it was.
    void resume() { reflector_.resume(); }

private:
    /// What has been told, by which the reflector's objects become changes.
    class EventForwarder final : public KindStore {
    public:
        explicit EventForwarder(Options options) : options_(std::move(options)) {}

        void begin_replace() override { ++lists_; }
        void finish_replace() override;
        void set(const boost::json::value& object) override;
        void remove(const boost::json::value& object) override;
        void confirm() override;
        void settle() override {}
        void see_trouble(const Error& error);

    private:
        struct Known {
            std::string uid{}, version{};
            std::uint64_t seen_in = 0;  ///< the list, counted
        };
        boost::json::object whole(const boost::json::value& object) const;
        void tell(Change change, const boost::json::object& object);
        void tell_vanished(const std::string& key, const Known& known);

        const Options options_;
        std::map<std::string, Known> known_{};  ///< by "namespace/name"
        std::uint64_t lists_ = 0;
        bool is_in_trouble_ = false;
    };

    EventForwarder forwarder_;
    Reflector reflector_;
};

}  // namespace capstan::kubernetes::client
