#include "autoscaler/record/described_types.hpp"

namespace capstan::autoscaler::record {

struct CountedPods {
    std::string example{};
    std::uint32_t count = 0;
};
BOOST_DESCRIBE_STRUCT(CountedPods, (), (example, count))

void JsonForm<engine::PodCount>::write(JsonText& out, const engine::PodCount& pods) {
    write_json(out, CountedPods{pods.example, pods.count});
}

void JsonForm<engine::PodCount>::read(const JsonCursor& place, engine::PodCount& pods) {
    const auto counted = read_json<CountedPods>(place);
    pods = {.example = counted.example, .count = counted.count};
}

}  // namespace capstan::autoscaler::record
