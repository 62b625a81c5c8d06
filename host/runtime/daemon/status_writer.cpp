#include "runtime/daemon/status_writer.hpp"

#include <utility>

#include "io/known_secrets.hpp"
#include "runtime/daemon/cluster_status.hpp"

namespace capstan::runtime {
namespace {

constexpr const char* last_updated = "cluster-autoscaler.kubernetes.io/last-updated";

}  // namespace

StatusWriter::StatusWriter(kubernetes::Api& api, io::Loop& loop, Options options)
    : options_(std::move(options)), loop_(loop), maps_(api, loop, options_.seed) {}

void StatusWriter::write(std::string text, Time now) {
    next_ = io::redacted(std::move(text));
    next_at_ = now;
    if (!is_writing_) send();
}

void StatusWriter::send() {
    is_writing_ = true;
    kubernetes::ConfigMapChange change{.data = {{"status", std::exchange(next_, {})}},
                                       .annotations = {{last_updated, go_time_text(next_at_)}}};
    maps_.write(options_.name, std::move(change),
                [this](const Result<kubernetes::ConfigMap>& written) {
                    is_writing_ = false;
                    if (written) {
                        uid_ = written->uid;
                    } else if (!is_in_trouble_ && options_.on_trouble) {
                        options_.on_trouble(within("status", written.error()));
                    }
                    is_in_trouble_ = !written;
                    if (removed_) return remove(std::exchange(removed_, nullptr));
                    if (!next_.empty()) send();
                });
}

void StatusWriter::remove(std::function<void()> done) {
    next_.clear();
    if (is_writing_) {
        removed_ = std::move(done);
        return;
    }
    maps_.remove(options_.name, [done = std::move(done)](const Result<void>&) { done(); });
}

kubernetes::ObjectReference StatusWriter::reference() const {
    return {.kind = "ConfigMap", .ns = options_.name.ns, .name = options_.name.name, .uid = uid_};
}

}  // namespace capstan::runtime
