/// The admin port of [admin].
#pragma once

#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include <capstan/result.hpp>

#include "io/http_server.hpp"
#include "runtime/config/daemon.hpp"
#include "runtime/daemon/admin_routes.hpp"

namespace capstan::runtime {

/// Sizes and times that the port grants a request before the peer has proved anything. A probe
/// gets through beside any number of other peers.
io::HttpServer::Options admin_limits();

/// Opens the port. The files of [admin] are read here; a token has to be sent as
/// "Authorization: Bearer TOKEN" by every client but probes. `invalid_config`: a file cannot be
/// read, or has no token; `unavailable`: the address is taken. Without an address there is no
/// server: NULL. Borrows `io`; `sources` are asked on the loop's thread as long as the server
/// lives. Of `options` address, port, certificates and numbers of connections are not read: they
/// are the configuration's.
Result<std::unique_ptr<io::HttpServer>> serve_admin(
    const Admin& config, boost::asio::io_context& io, AdminSources sources,
    io::HttpServer::Options options = admin_limits());

/// Whether `authorization` carries that token; takes as long for every wrong one.
bool has_token(std::string_view authorization, std::string_view token);

}  // namespace capstan::runtime
