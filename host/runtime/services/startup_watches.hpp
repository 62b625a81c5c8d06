/// Watches that plugins open before their host is connected to the cluster, as they do while they
/// start.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace capstan::runtime::services {

/// They begin as soon as the host is connected, and no decision is to be made until each is
/// settled: its plugin has been told what there is, or why that cannot be known, or hears no more
/// of it. Watches that are opened later are not here, and no pass waits for them. Used on the
/// loop's thread alone.
class StartupWatches {
public:
    using Id = std::uint64_t;

    /// `what` names it to people, `begin` is called at the connection, unless it is settled by
    /// then.
    Id add(std::string what, std::function<void()> begin);
    /// The host is connected.
    void begin();
    /// Does nothing the second time.
    void settle(Id id);
    /// Names, in the order in which they were opened.
    std::vector<std::string> unsettled() const;

private:
    struct Watch {
        std::string what{};
        std::function<void()> begin{};  ///< NULL: it has begun
    };
    Id last_ = 0;
    std::map<Id, Watch> unsettled_;
};

}  // namespace capstan::runtime::services
