/// The memory's text in ConfigMaps: in one, and in further ones if it is too long for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

#include "kubernetes/client/writes/config_maps.hpp"

namespace capstan::autoscaler::daemon {

/// A text that fits is in the ConfigMap NAME, beside other data. The rest of a longer one is in
/// NAME-1, NAME-2, ... A write never makes the text unreadable that was written before:
///
///     NAME      memory:       the beginning
///               memory-rest:  {"parts":2,"key":"memory-b","hash":"9035..."}
///     NAME-1    memory-a:     a part of the text before
///               memory-b:     a part of this text
///     NAME-2    the same
///
/// The parts are written first, under the key that the text before does not use; NAME is written
/// last and switches to them. A host that stops in between leaves the text before. So a part takes
/// half of a ConfigMap. The hash of the whole text shows whether all parts are of one version.
/// ConfigMaps that are not used any more are deleted. Used on the loop's thread alone.
class MemoryMaps {
public:
    /// Further ConfigMaps.
    static constexpr int parts_max = 4;
    /// The bytes of all data in NAME, of the memory in each further ConfigMap, and in all of them.
    /// The API allows 1 MiB with keys.
    static constexpr std::size_t first_max = std::size_t{1000} << 10;
    static constexpr std::size_t part_max = first_max / 2;
    static constexpr std::size_t rest_max = parts_max * part_max;
    /// The name of a further ConfigMap, from 1 on.
    static std::string name_of_part(const std::string& name, int part);

    struct Content {
        std::string memory{};  ///< empty: there is none
        /// Why the rest of the memory cannot be found; `memory` is its beginning then. Empty: the
        /// memory is whole.
        std::string broken_because{};
        std::map<std::string, std::string> others{};  ///< the other data of the ConfigMap NAME
    };
    using Read = std::function<void(Result<Content>)>;
    using Done = std::function<void(Result<void>)>;

    /// Borrows `api` and `loop`. `seed`: of jitter.
    MemoryMaps(kubernetes::client::Api& api, io::Loop& loop, kubernetes::client::ConfigMapName name,
               std::uint64_t seed)
        : name_(std::move(name)), maps_(api, loop, seed) {}

    /// The error: a ConfigMap cannot be read now. `done` is not called inside this call.
    void read(Read done);
    /// Writes the memory, and changes other data of NAME; what is unchanged is not written. An
    /// empty text removes the memory. `quota`: the text is too long.
    void write(std::string memory, kubernetes::client::ConfigMapChange::Values others, Done done);

private:
    struct Reading;
    struct Writing;
    kubernetes::client::ConfigMapName part(int number) const;
    void read_part(const std::shared_ptr<Reading>& reading, int number);
    void begin(const std::shared_ptr<Writing>& writing);
    void write_part(const std::shared_ptr<Writing>& writing, std::size_t number);
    void write_first(const std::shared_ptr<Writing>& writing);
    void remove_surplus(const std::shared_ptr<Writing>& writing);
    void find_surplus(const std::shared_ptr<Writing>& writing, int number);

    const kubernetes::client::ConfigMapName name_;
    /// The data of NAME; absent: not known, because a write failed that may have come through.
    std::optional<std::map<std::string, std::string>> data_{};
    /// How many further ConfigMaps there are; absent: not known yet.
    std::optional<int> parts_there_{};
    kubernetes::client::ConfigMaps maps_;
};

}  // namespace capstan::autoscaler::daemon
