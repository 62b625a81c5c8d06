#include "simulator/program/cluster_daemon.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <capstan/sentence.hpp>

#include "commands/external_command.hpp"

namespace capstan::simulator::program {
Result<std::unique_ptr<io::ProgramProcess>> start_cluster_daemon(io::Loop& loop,
                                                                 ClusterDaemonOptions options) {
    const auto program = commands::program_beside("capstan");
    if (!program) return fail(within("start capstan run", program.error()));
    // The daemon has a process group of its own, so that Ctrl-C at the terminal reaches only this
    // process.
    const io::ProgramRun run{
        .program = *program,
        .name = "capstan",
        .arguments = {"run", "--config", options.config.string(), "--state", options.state.string(),
                      "--parent", std::to_string(::getpid())},
        .log = options.log};
    auto started = io::ProgramProcess::start(
        loop, run, [ended = std::move(options.ended)](const Result<io::ProgramEnd>& end) {
            ended(end ? end->status.sentence() : end.error().message);
        });
    if (!started) return fail(within("start capstan run", std::move(started).error()));
    return started;
}

namespace {

Unexpected cannot_make(const std::filesystem::path& path, const std::string& why) {
    return fail(ErrorCode::unavailable, "create folder " + path.string() + ": " + why);
}

}  // namespace

Result<ClusterFolder> ClusterFolder::make(const std::filesystem::path& wanted) {
    std::error_code error;
    if (!wanted.empty()) {
        std::filesystem::create_directories(wanted, error);
        if (error) return cannot_make(wanted, error.message());
        return ClusterFolder(std::filesystem::absolute(wanted), false);
    }
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    if (error) return cannot_make("for temporary files", error.message());
    std::string pattern = (parent / "capstan-cluster-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) return cannot_make(pattern, std::strerror(errno));
    return ClusterFolder(pattern, true);
}

ClusterFolder::ClusterFolder(ClusterFolder&& from) noexcept
    : path_(std::move(from.path_)), is_temporary_(std::exchange(from.is_temporary_, false)) {}

ClusterFolder::~ClusterFolder() {
    std::error_code ignored;
    if (is_temporary_) std::filesystem::remove_all(path_, ignored);
}

using boost::asio::ip::tcp;
using boost::system::error_code;

Result<ReservedPort> ReservedPort::take(boost::asio::io_context& io, const std::string& address,
                                        std::uint16_t wanted) {
    error_code error;
    const auto ip = boost::asio::ip::make_address(address, error);
    if (error)
        return fail(ErrorCode::invalid_argument, in_quotes(address) + " is not an IP address");
    for (const std::uint16_t port : {wanted, std::uint16_t{0}}) {
        tcp::acceptor bound(io);
        bound.open(ip.is_v6() ? tcp::v6() : tcp::v4(), error);
        // Bound without SO_REUSEADDR, so that two reservations never get the same port. Set
        // afterwards, the option lets a server that sets it, too, bind the port.
        if (!error) bound.bind({ip, port}, error);
        if (!error) bound.set_option(tcp::acceptor::reuse_address(true), error);
        if (!error) return ReservedPort(std::move(bound));
    }
    return fail(ErrorCode::unavailable, "no free port on " + address + ": " + error.message());
}

}  // namespace capstan::simulator::program
