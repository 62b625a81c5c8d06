#include <capstan/data_file.hpp>

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <capstan/testing/run_task.hpp>

namespace capstan {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run;

/// Parsed from text such as "2026-11-01 0.1".
struct Rate {
    std::string day{};
    double amount = 0;

    static Result<Rate> parse(std::string_view text) {
        const std::size_t space = text.find(' ');
        if (space == std::string_view::npos) return fail(ErrorCode::invalid_argument, "no amount");
        return Rate{std::string(text.substr(0, space)), std::stod(std::string(text.substr(space)))};
    }
    const std::string& date() const noexcept { return day; }
};

/// A value without a date.
struct Count {
    std::size_t bytes = 0;
    static Result<Count> parse(std::string_view text) {
        if (text.empty()) return fail(ErrorCode::invalid_argument, "it is empty");
        return Count{text.size()};
    }
};

/// A separate file for each test.
class DataFileTest : public ::testing::Test {
protected:
    ~DataFileTest() override { std::filesystem::remove_all(path_); }

    void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
    Result<void> read() { return run(host_, file_.read()); }
    void renew(Duration later) {
        host_.advance(later);
        EXPECT_TRUE(run(host_, file_.renew()));
    }
    std::vector<std::string> warnings() const {
        std::vector<std::string> out;
        for (const auto& line : host_.log_lines())
            if (line.level == CAPSTAN_LOG_WARN) out.push_back(line.message);
        return out;
    }

    std::string path_ =
        (std::filesystem::path(::testing::TempDir()) /
         ("data_file_" +
          std::string(::testing::UnitTest::GetInstance()->current_test_info()->name())))
            .string();
    FakeHost host_{};
    DataFile<Rate> file_{host_.host(), path_, "prices", &Rate::parse};
};

TEST_F(DataFileTest, IsReadAgainAfterTenMinutes) {
    write("2026-11-01 0.1");
    ASSERT_TRUE(read());
    EXPECT_EQ(file_.value()->amount, 0.1);
    write("2026-11-02 0.2");
    renew(minutes(9));
    EXPECT_EQ(file_.value()->amount, 0.1);
    renew(minutes(1));
    EXPECT_EQ(file_.value()->amount, 0.2);
}

TEST_F(DataFileTest, ChangesItsVersionOnlyWithItsContent) {
    EXPECT_EQ(file_.version(), 0);
    write("2026-11-01 0.1");
    ASSERT_TRUE(read());
    const auto before = file_.version();
    const auto value = file_.value();
    renew(minutes(10));
    EXPECT_EQ(file_.version(), before);
    EXPECT_EQ(file_.value(), value);
    write("2026-11-01 0.3");
    renew(minutes(10));
    EXPECT_NE(file_.version(), before);
    EXPECT_EQ(value->amount, 0.1) << "an earlier value does not change";
}

TEST_F(DataFileTest, KeepsItsLastValueAndWarnsOnceIfTheFileBecomesInvalid) {
    write("2026-11-01 0.1");
    ASSERT_TRUE(read());
    write("nothing");
    renew(minutes(10));
    renew(minutes(10));
    const std::string named = "file \"" + path_ + "\": ";
    EXPECT_THAT(warnings(), ElementsAre("using prices of 2026-11-01: " + named + "no amount"));
    std::filesystem::remove(path_);
    renew(minutes(10));
    EXPECT_THAT(warnings(), ElementsAre(HasSubstr("no amount"), HasSubstr("no such file")));
    EXPECT_EQ(file_.value()->amount, 0.1);
    write("2026-11-01 0.1");
    renew(minutes(10));
    std::filesystem::remove(path_);
    renew(minutes(10));
    EXPECT_EQ(warnings().size(), 3)
        << "the file was valid in between, so the error is logged again";
}

TEST_F(DataFileTest, KeepsAValueWithoutADateIfTheFileBecomesInvalid) {
    write("abc");
    DataFile<Count> file(host_.host(), path_, "counts", &Count::parse, minutes(1));
    ASSERT_TRUE(run(host_, file.read()));
    write("");
    host_.advance(minutes(1));
    ASSERT_TRUE(run(host_, file.renew()));
    EXPECT_THAT(warnings(), ElementsAre(HasSubstr("using the previous counts: ")));
    EXPECT_EQ(file.value()->bytes, 3);
}

TEST_F(DataFileTest, FailsTheStartIfTheFileIsInvalid) {
    const auto missing = read();
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::invalid_config);
    EXPECT_EQ(missing.error().message, "file \"" + path_ + "\": no such file");
    write("nothing");
    const auto spoilt = read();
    ASSERT_FALSE(spoilt);
    EXPECT_EQ(spoilt.error().code, ErrorCode::invalid_config);
    EXPECT_EQ(spoilt.error().message, "file \"" + path_ + "\": no amount");
    EXPECT_EQ(file_.value(), nullptr);
    renew(minutes(10));
    EXPECT_THAT(warnings(), IsEmpty()) << "there is no earlier value";
}

TEST_F(DataFileTest, HasNoValueWithoutAFile) {
    DataFile<Rate> none(host_.host(), "", "prices", &Rate::parse);
    ASSERT_TRUE(run(host_, none.read()));
    ASSERT_TRUE(run(host_, none.renew()));
    EXPECT_EQ(none.value(), nullptr);
}

TEST_F(DataFileTest, ReadsWholeFilesAndRejectsAFolder) {
    const std::string text = std::string("a\0b\n", 4) + std::string(100'000, 'x');
    write(text);
    EXPECT_EQ(run(host_, read_data_file(host_.host(), path_)), text);
    const auto folder = run(host_, read_data_file(host_.host(), ::testing::TempDir()));
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().code, ErrorCode::invalid_config);
    EXPECT_THAT(folder.error().message, HasSubstr("not a regular file"));
}

TEST_F(DataFileTest, RejectsAFileAboveTheSizeLimit) {
    write("");
    std::filesystem::resize_file(path_, data_file_max);
    EXPECT_TRUE(run(host_, read_data_file(host_.host(), path_)));
    std::filesystem::resize_file(path_, data_file_max + 1);
    EXPECT_THAT(run(host_, read_data_file(host_.host(), path_)).error().message,
                HasSubstr("larger than 64 MiB"));
}

}  // namespace
}  // namespace capstan
