// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOEmbedded
import NIOSSL
import TestSupport
import Testing

@testable import baton_server

/// The end of TLS connections that the server closes, between two ends in memory whose time stands still.
@Suite struct ConnectionEndTests {
    /// A server's and a client's end of an open TLS connection.
    private struct Ends {
        let server = EmbeddedChannel()
        let client = EmbeddedChannel()

        init(_ authority: DevelopmentAuthority) throws {
            let tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: [
                    .certificate(try NIOSSLCertificate(bytes: Array(authority.certificate.utf8), format: .pem))
                ],
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(authority.key.utf8), format: .pem)))
            var trust = TLSConfiguration.makeClientConfiguration()
            trust.certificateVerification = .none
            // As Hummingbird sets it.
            server.allowRemoteHalfClosure = true
            try server.pipeline.syncOperations.addHandlers([
                NIOSSLServerHandler(context: try NIOSSLContext(configuration: tls)), ConnectionEnd(),
            ])
            try client.pipeline.syncOperations.addHandler(
                try NIOSSLClientHandler(
                    context: try NIOSSLContext(configuration: trust), serverHostname: "login.test"))
            for end in [server, client] { end.connect(to: try SocketAddress(unixDomainSocketPath: "/-"), promise: nil) }
            try exchange()
        }

        /// Passes bytes on until both ends are silent.
        func exchange() throws {
            var isSilent = false
            while !isSilent {
                isSilent = true
                for (from, to) in [(client, server), (server, client)] {
                    while let bytes = try from.readOutbound(as: ByteBuffer.self) {
                        isSilent = false
                        if to.isActive { try to.writeInbound(bytes) }
                    }
                }
            }
        }
    }

    @Test func `a connection that the server closes ends with the client's answer`() async throws {
        try await Scratch.with { scratch in
            let directory = try StateDirectory(path: scratch.path("state"))
            let ends = try Ends(try DevelopmentAuthority(in: directory, names: ["login.test"]))
            ends.server.close(promise: nil)
            #expect(ends.server.isActive)
            try ends.exchange()
            #expect(!ends.client.isActive && !ends.server.isActive)
        }
    }
}
