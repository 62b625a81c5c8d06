// Documents and manifests name the version of the program and of the SDK.
#include <capstan/abi/base.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "../host/commands/shell.hpp"
#include "document.hpp"

namespace capstan::docs {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The first capture of every match, in order.
std::vector<std::string> matches(const fs::path& file, const std::string& pattern) {
    const std::string text = text_of(file);
    const std::regex expression(pattern);
    std::vector<std::string> out;
    for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
        out.push_back((*at)[1]);
    return out;
}

/// The version of the program, from project(capstan VERSION ...) in CMakeLists.txt.
std::string project_version() {
    const std::vector<std::string> found =
        matches("CMakeLists.txt", R"(project\(capstan VERSION ([0-9.]+))");
    return found.empty() ? "" : found.front();
}

std::string first_heading(const fs::path& changelog) {
    std::istringstream lines(text_of(changelog));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("## ")) return line;
    return "";
}

TEST(Versions, ProgramVersionMatchesProjectAndSdk) {
    EXPECT_THAT(commands::capstan("version").out,
                StartsWith("capstan " + project_version() + ", SDK " CAPSTAN_SDK_VERSION ","));
}

TEST(Versions, ChangelogsBeginWithTheCurrentVersion) {
    EXPECT_THAT(first_heading("CHANGELOG.md") + " ", StartsWith("## " + project_version() + " "));
    EXPECT_THAT(first_heading("sdk/CHANGELOG.md") + " ", StartsWith("## " CAPSTAN_SDK_VERSION " "));
}

TEST(Versions, ReadmeNamesBothVersions) {
    EXPECT_THAT(text_of("README.md"),
                HasSubstr("Capstan " + project_version() + " with SDK " CAPSTAN_SDK_VERSION));
}

TEST(Versions, ManifestsUseImagesOfTheProjectVersion) {
    int with_image = 0;
    for (const auto& entry : fs::recursive_directory_iterator("deploy")) {
        if (!entry.is_regular_file()) continue;
        const std::vector<std::string> tags =
            matches(entry.path(), R"(registry\.example/capstan:([A-Za-z0-9_.-]+))");
        EXPECT_THAT(tags, Each(project_version())) << entry.path();
        if (!tags.empty()) ++with_image;
    }
    EXPECT_EQ(with_image, 4) << "deployment.yaml, eks.yaml, gke.yaml, README.md";
}

TEST(Versions, RustExamplesNameTheSdkVersion) {
    EXPECT_THAT(matches("sdk/examples/rust_abi.rs", R"re(SDK_VERSION: &str = "([^"]*)")re"),
                ElementsAre(CAPSTAN_SDK_VERSION));
}

}  // namespace
}  // namespace capstan::docs
