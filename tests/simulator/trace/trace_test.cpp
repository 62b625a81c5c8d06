#include "simulator/trace/trace.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace capstan::simulator::trace {
namespace {

constexpr const char* nodes =
    "sn,cpu_milli,memory_mib,gpu,model\n"
    "n1,32000,262144,0,\nn2,32000,262144,0,\nn3,96000,393216,8,G2\n";
constexpr const char* pod_header =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n";

Result<Input> trace(const std::string& pods, const std::string& machines = nodes) {
    CAPSTAN_TRY(const CsvTable node_table, CsvTable::parse("nodes.csv", machines));
    CAPSTAN_TRY(const CsvTable pod_table, CsvTable::parse("pods.csv", pod_header + pods));
    return make_trace_input(node_table, pod_table);
}

std::string input_error(const Result<Input>& input) { return input ? "" : input.error().message; }

const PodBatch& batch_at(const Input& input, std::size_t index) {
    return std::get<PodBatch>(input.steps.at(0).actions.at(index).what);
}

TEST(ClusterTrace, CreatesAGroupForEachMachineType) {
    const auto input = trace("");
    ASSERT_TRUE(input) << input_error(input);
    ASSERT_EQ(input->clouds.size(), 1u);
    const config::TomlValue* const groups = input->clouds.front().settings.find("groups");
    ASSERT_NE(groups, nullptr);
    ASSERT_EQ(groups->children.size(), 2u);
    EXPECT_EQ(groups->children[0].find("id")->text, "cpu32-mem256");
    EXPECT_EQ(groups->children[1].find("id")->text, "cpu96-mem384-gpu8-G2");
}

TEST(ClusterTrace, CreatesPodsInOrderOfCreationTime) {
    const auto input = trace(
        "late,1000,1024,0,0,,LS,Running,50,90,60\n"
        "early,2000,2048,0,0,,LS,Running,10,40,\n");
    ASSERT_TRUE(input) << input_error(input);
    EXPECT_EQ(batch_at(*input, 0).pod.name, "early");
    EXPECT_EQ(input->steps[0].actions[1].after, std::chrono::seconds(50));
    EXPECT_EQ(batch_at(*input, 0).pod.spec.requests,
              (Resources{{"cpu", 2_cpu}, {"memory", 2_GiB}}));
}

TEST(ClusterTrace, KeepsTheRunTimeOfPods) {
    const auto input = trace("a,1,1,0,0,,LS,Running,50,90,60\nb,1,1,0,0,,LS,Pending,50,90,\n");
    ASSERT_TRUE(input) << input_error(input);
    EXPECT_EQ(batch_at(*input, 0).duration, std::chrono::seconds(30));
    EXPECT_EQ(batch_at(*input, 1).duration, std::chrono::seconds(40));
}

TEST(ClusterTrace, ReadsGpuSharesAndModels) {
    const auto input =
        trace("a,1,1,1,460,G2|G3,LS,Running,0,9,0\nb,1,1,2,1000,,LS,Running,0,9,0\n");
    ASSERT_TRUE(input) << input_error(input);
    const engine::snapshot::PodSpec& share = batch_at(*input, 0).pod.spec;
    EXPECT_EQ(share.requests.amount(gpu_milli_resource), 460);
    ASSERT_EQ(share.affinity_required.size(), 1u);
    EXPECT_EQ(share.affinity_required[0].labels[0].values, (std::vector<std::string>{"G2", "G3"}));
    const engine::snapshot::PodSpec& whole = batch_at(*input, 1).pod.spec;
    EXPECT_EQ(whole.requests.amount(gpu_milli_resource), 2000);
    EXPECT_TRUE(whole.affinity_required.empty());
}

TEST(ClusterTrace, ReportsTheInvalidRowAndWhy) {
    EXPECT_EQ(input_error(trace("a,x,1,0,0,,LS,Running,0,9,0\n")),
              "pods.csv:2: cpu_milli: expects a whole number of 0 or more, found \"x\"");
    EXPECT_EQ(input_error(trace("a,1,1,0,0,,LS,Running,50,9,\n")),
              "pods.csv:2: deletion_time: 9 is before the pod's start at 50");
    EXPECT_EQ(input_error(trace("a,1,1,0,0,,LS,Running,0,9,0\na,1,1,0,0,,LS,Running,0,9,0\n")),
              "pods.csv:3: name: \"a\" is not unique");
    EXPECT_EQ(input_error(trace(",1,1,0,0,,LS,Running,0,9,0\n")),
              "pods.csv:2: name: expects a name");
    EXPECT_EQ(input_error(trace("", "sn,cpu_milli,memory_mib,gpu\n")),
              "nodes.csv:1: has no column \"model\"");
    EXPECT_EQ(input_error(trace("", std::string(nodes) + "n4,1,,0,\n")),
              "nodes.csv:5: memory_mib: expects a whole number of 0 or more, found \"\"");
}

class TraceFolder : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = ::testing::TempDir() + "capstan-trace-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    void write(const char* name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    std::filesystem::path folder_;
};

TEST_F(TraceFolder, IdentifiesTablesByTheirColumns) {
    write("a.csv", std::string(pod_header) + "p,1,1,0,0,,LS,Running,0,9,0\n");
    write("b.csv", nodes);
    write("notes.md", "no table");
    const auto input = read_trace(folder_);
    ASSERT_TRUE(input) << input_error(input);
    EXPECT_EQ(input->steps[0].actions.size(), 1u);
}

TEST_F(TraceFolder, RequiresOneTableOfEachKind) {
    EXPECT_NE(input_error(read_trace(folder_)).find("has no CSV file of nodes"), std::string::npos);
    write("b.csv", nodes);
    EXPECT_NE(input_error(read_trace(folder_)).find("has no CSV file of pods"), std::string::npos);
    write("c.csv", nodes);
    EXPECT_NE(input_error(read_trace(folder_)).find("look like the list of nodes"),
              std::string::npos);
    EXPECT_NE(input_error(read_trace(folder_ / "absent")).find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace capstan::simulator::trace
