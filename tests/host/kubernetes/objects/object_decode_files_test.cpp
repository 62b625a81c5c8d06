#include "kubernetes/objects/object_decode.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "engine/snapshot/cluster_builder.hpp"
#include "io/gzip.hpp"

namespace capstan::kubernetes::objects {
namespace {

std::filesystem::path file_of(const std::string& name, const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
}

TEST(DecodeFile, LoadsALargeFile) {
    std::string text = R"({"kind":"NodeList","items":[)";
    for (int i = 0; i < 20000; ++i)
        text += (i > 0 ? ",\n" : "") + (R"({"metadata":{"name":"n)" + std::to_string(i) + "\"}}");
    engine::snapshot::ClusterBuilder builder;
    const auto report = decode_file(file_of("capstan-nodes.json", text + "]}"), builder);
    ASSERT_TRUE(report);
    EXPECT_FALSE(report->cut_short);
    EXPECT_EQ(report->loaded, (DecodeReport::Counts{{"Node", 20000}}));
    EXPECT_EQ(builder.build().node_count(), 20000u);
}

TEST(DecodeFile, ReportsFileAndLineOfASyntaxError) {
    engine::snapshot::ClusterBuilder builder;
    const auto file = file_of("capstan-broken.json", "{\"kind\":\"List\",\n\"items\":}");
    const auto report = decode_file(file, builder);
    ASSERT_TRUE(report);
    ASSERT_TRUE(report->cut_short);
    EXPECT_EQ(report->cut_short->message,
              file.string() + ": line 2, column 9 (byte 24): syntax error at \"}\"");
}

TEST(DecodeFile, RejectsYaml) {
    engine::snapshot::ClusterBuilder builder;
    for (const char* text : {"apiVersion: v1\nitems: []\n", "---\nkind: List\n"}) {
        const auto report = decode_file(file_of("capstan-yaml", text), builder);
        ASSERT_FALSE(report) << text;
        EXPECT_NE(report.error().message.find("capstan-yaml: is YAML; expects JSON"),
                  std::string::npos)
            << report.error().message;
    }
}

TEST(DecodeFile, RejectsEmptyFiles) {
    engine::snapshot::ClusterBuilder builder;
    for (const char* text : {"", "\n \n"}) {
        const auto report = decode_file(file_of("capstan-empty", text), builder);
        ASSERT_FALSE(report);
        EXPECT_NE(report.error().message.find("capstan-empty: the file is empty; the command that"),
                  std::string::npos)
            << report.error().message;
    }
}

TEST(DecodeFile, ReadsGzipFiles) {
    engine::snapshot::ClusterBuilder builder;
    const std::string text = R"({"kind":"NodeList","items":[{"metadata":{"name":"n"}}]})";
    const auto report = decode_file(file_of("capstan-packed", io::gzip(text)), builder);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->loaded, (DecodeReport::Counts{{"Node", 1}}));
    EXPECT_FALSE(decode_file(file_of("capstan-cut", io::gzip(text).substr(0, 30)), builder));
}

TEST(DecodeFile, ReportsUnreadableFiles) {
    engine::snapshot::ClusterBuilder builder;
    const auto missing = decode_file("/nonexistent/dump.json", builder);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::not_found);
    EXPECT_EQ(missing.error().message,
              "/nonexistent/dump.json: cannot be read: No such file or directory");
    EXPECT_FALSE(decode_file(::testing::TempDir(), builder));
}

}  // namespace
}  // namespace capstan::kubernetes::objects
