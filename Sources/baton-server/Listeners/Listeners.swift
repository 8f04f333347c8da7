// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import IdentityPlatform
internal import Logging
internal import MDMServer
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle
internal import SwiftASN1
internal import X509

/// The listeners as services: the TLS listeners, the administration socket, and those for health checks and metrics.
struct Listeners {
    let configuration: ServerConfiguration
    /// The maximum number of connections of each TLS listener. Further connections wait to be accepted.
    let connections: Int
    /// The maximum number of connections from one address. Further connections are refused.
    let share: Int
    let readiness: Readiness
    let logger: Logger

    /// Returns the main listener: HTTP/1.1 over TLS 1.2 or later.
    ///
    /// A client may present a certificate. If it does, the handshake proves possession of the certificate's key. The
    /// issuer is not checked, because device registration knows each certificate that it issued. The list of accepted
    /// authorities contains only an authority that issues no personal certificates. A browser that has personal
    /// certificates therefore does not ask the user to choose one.
    ///
    /// - Throws: the library's error if it cannot use the certificate.
    func main(
        _ responder: some HTTPResponder<IdentityContext>, authority: DevelopmentAuthority
    ) throws -> any Service {
        let certificate = try NIOSSLCertificate(bytes: Array(authority.certificate.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(authority.key.utf8), format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        tls.shutdownTimeout = Self.endOfTLS
        tls.certificateVerification = .optionalVerification
        let root = try NIOSSLCertificate(bytes: try authority.root.serializeAsPEM().derBytes, format: .der)
        tls.trustRoots = .certificates([root])
        tls.sendCANameList = true
        let anyIssuer = TLSChannelConfiguration(tlsConfiguration: tls) { _, promise in
            promise.succeed(.certificateVerified)
        }
        let shares = ConnectionShares(share: share, listener: "main", logger: logger)
        return Application(
            responder: responder, server: server(anyIssuer, shares, named: "main"),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.address, port: configuration.port), serverName: nil,
                availableConnectionsDelegate: ConnectionTotal(connections, shares: shares)),
            onServerRunning: { [readiness] _ in readiness.opened() }, logger: logger)
    }

    /// Returns the devices' listener: HTTP/1.1 over TLS with the identities that device management issued.
    ///
    /// - Throws: the library's error if it cannot use the certificate.
    func devices(
        _ responder: some HTTPResponder<MDMContext>, of management: MDMService, authority: DevelopmentAuthority
    ) throws -> any Service {
        var tls = try management.tls(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(authority.certificate.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(authority.key.utf8), format: .pem)))
        tls.shutdownTimeout = Self.endOfTLS
        let shares = ConnectionShares(share: share, listener: "devices", logger: logger)
        return Application(
            responder: responder,
            server: server(TLSChannelConfiguration(tlsConfiguration: tls), shares, named: "devices"),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.address, port: configuration.mdmPort), serverName: nil,
                availableConnectionsDelegate: ConnectionTotal(connections, shares: shares)),
            onServerRunning: { [readiness] _ in readiness.opened() }, logger: logger)
    }

    /// Returns the administrators' listener: HTTP/1.1 over TLS 1.2 or later, without client certificates.
    ///
    /// - Throws: the library's error if it cannot use the certificate.
    func remoteAdministration(
        _ responder: some HTTPResponder<AdminContext>, authority: DevelopmentAuthority
    ) throws -> any Service {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(authority.certificate.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(authority.key.utf8), format: .pem)))
        tls.minimumTLSVersion = .tlsv12
        tls.shutdownTimeout = Self.endOfTLS
        let shares = ConnectionShares(share: share, listener: "administration", logger: logger)
        return Application(
            responder: responder,
            server: server(
                TLSChannelConfiguration(tlsConfiguration: tls), shares, named: "administration",
                refusal: try .administration()),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.address, port: configuration.administrationPort), serverName: nil,
                availableConnectionsDelegate: ConnectionTotal(connections, shares: shares)),
            onServerRunning: { [readiness] _ in readiness.opened() }, logger: logger)
    }

    /// Returns the administration socket's listener: HTTP/1.1.
    func administration(_ responder: some HTTPResponder<AdminContext>, path: String) -> any Service {
        Application(
            responder: responder, server: .http1(configuration: Self.http(idle: .seconds(60))),
            configuration: ApplicationConfiguration(address: .unixDomainSocket(path: path), serverName: nil),
            onServerRunning: { [readiness] _ in readiness.opened() }, logger: logger)
    }

    /// Returns a listener for an administrator's programs: HTTP/1.1 without TLS.
    func plain(
        _ listener: String, at address: ServerConfiguration.PlainListener,
        addRoutes: (Router<BasicRequestContext>) -> Void
    ) -> any Service {
        let router = Router()
        addRoutes(router)
        let shares = ConnectionShares(share: Self.plainConnections, listener: listener, logger: logger)
        let idle = IdleConnections(limit: Self.plainConnections)
        let limits = ConnectionDeadlines.Limits(handshake: .seconds(5), request: .seconds(10))
        return Application(
            router: router,
            server: .http1(configuration: Self.http(HeadCheck.Installer(limits, idle: idle), idle: .seconds(10))),
            configuration: ApplicationConfiguration(
                address: .hostname(address.address, port: address.port), serverName: nil,
                availableConnectionsDelegate: ConnectionTotal(Self.plainConnections, shares: shares)),
            onServerRunning: { [readiness] _ in readiness.opened() }, logger: logger)
    }

    /// How long the server waits for the client's end of TLS after it has sent its own. When the server stops, it waits
    /// this long for clients that do not read their idle connections; nothing is lost, because everything was sent
    /// before.
    private static let endOfTLS = TimeAmount.milliseconds(250)

    /// The maximum number of connections of a listener for health checks or metrics.
    private static let plainConnections = 64

    /// Returns a server for HTTP/1.1 over TLS. It reads the headers of load balancers, and limits the number of
    /// connections of each address and the time of every wait for a client.
    ///
    /// - Parameter refusal: the answer to malformed requests.
    private func server(
        _ tls: TLSChannelConfiguration, _ shares: ConnectionShares, named listener: String,
        refusal: MalformedRequests.Refusal = .empty
    ) -> HTTPServerBuilder {
        let proxies = TrustedProxies(configuration.loadBalancer.addresses, listener: listener, logger: logger)
        let request = configuration.limits.requestDeadline
        let limits = ConnectionDeadlines.Limits(
            handshake: .seconds(Int64(min(10, request))), request: .seconds(Int64(request)))
        return HTTPServerBuilder { [readiness] responder in
            let http = HTTP1Channel(
                responder: responder,
                configuration: Self.http(HeadCheck.Installer(limits, draining: readiness, refusal: refusal)))
            return SharedChannel(base: try TLSChannel(http, configuration: tls), shares: shares, proxies: proxies)
        }
    }

    /// Limits headers to 32 KiB in 100 fields and refuses ambiguous heads.
    private static func http(
        _ installer: @autoclosure @escaping @Sendable () -> HeadCheck.Installer = HeadCheck.Installer(),
        idle: TimeAmount? = nil
    ) -> HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            additionalChannelHandlers: [installer()], idleTimeout: idle,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100))
    }
}
