/// Watches objects of one kind and passes them to a plugin as whole JSON objects. ClusterCache uses
/// the same Reflector for the host itself, and keeps only some members.
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

/// Reports each object as `added`, then `synced`, then each change. After an interruption the watch
/// resumes from its last version, or lists again if the server no longer has that version. A
/// version of an object is reported once, also after a new list. Objects of another kind and those
/// without a name, which no correct server sends, are not reported. Keeps only names, uids and
/// versions in memory. Used on the loop's thread alone.
class ObjectWatch {
public:
    enum class Change : std::uint8_t {
        added,
        modified,
        deleted,  ///< if a new list lacks the object: only apiVersion, kind, namespace, name, uid
        synced,   ///< each object of the list has been reported; the object is empty
    };
    struct Options {
        std::string path{};             ///< of the collection
        ApiRequest::Query selectors{};  ///< of the list and of the watch
        std::string api_version{};      ///< of the objects; items of a list do not have it
        std::string kind{};
        std::int64_t page = 500;  ///< objects in a page of a list
        std::string purpose{};    ///< ApiRequest::purpose
        std::uint64_t seed = 0;   ///< of jitter
        std::function<void(Change, const boost::json::object&)> on_change{};
        /// A list or watch failed. Called once until the failure is over, and again if the error's
        /// code changes. A call of on_change means that it is over. An expired version is reported
        /// from the third expiry within a minute on; right after an outage, from the sixth on.
        std::function<void(const Error&)> on_error{};
    };
    /// Borrows `api` and `loop`. The destructor cancels all requests; no callback runs afterwards.
    /// A callback must not destroy this object.
    ObjectWatch(Api& api, io::Loop& loop, const Options& options);
    ObjectWatch(const ObjectWatch&) = delete;
    ObjectWatch& operator=(const ObjectWatch&) = delete;

    /// May be called once.
    void start() { reflector_.start(); }
    /// Sends no further request. Objects that have come already are still reported. May be called
    /// inside on_change.
    void pause() { reflector_.pause(); }
    /// Continues from where pause() stopped.
    void resume() { reflector_.resume(); }

private:
    /// Turns the reflector's objects into changes, by the versions that it has reported.
    class EventForwarder final : public KindStore {
    public:
        explicit EventForwarder(Options options) : options_(std::move(options)) {}

        void begin_replace() override { ++lists_; }
        void finish_replace() override;
        void set(const boost::json::value& object) override;
        void remove(const boost::json::value& object) override;
        void confirm() override;
        void settle() override {}
        void report_trouble(const Error& error);

    private:
        struct Reported {
            std::string uid{}, version{};
            std::uint64_t seen_in = 0;  ///< the number of the last list that had the object
        };
        /// Whether it is an object of this kind with a name, as all objects of the watch should be.
        bool is_of_kind(const boost::json::object& object) const;
        boost::json::object with_kind(const boost::json::value& object) const;
        void report(Change change, const boost::json::object& object);
        void report_vanished(const std::string& key, const Reported& object);

        const Options options_;
        std::map<std::string, Reported> reported_{};  ///< by "namespace/name"
        std::uint64_t lists_ = 0;                     ///< how many lists have begun
        bool is_in_trouble_ = false;
    };

    EventForwarder forwarder_;
    Reflector reflector_;
};

}  // namespace capstan::kubernetes::client
