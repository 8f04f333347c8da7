// SPDX-License-Identifier: Apache-2.0
package import DeviceHTTPS
internal import Files
internal import FoundationEssentials
internal import MDMProtocol
internal import Redaction
internal import SwiftASN1

/// An enrollment profile that was checked and whose identity was decrypted, but that is not in use yet.
struct EnrollmentOffer: Sendable {
    /// The profile to keep, without its key.
    let profile: Data
    let identity: HTTPSClient.Identity
    let server: EnrollmentPayload

    /// Checks a profile and decrypts its identity. How long this takes depends on the profile's key derivation, whose
    /// cost is limited.
    ///
    /// - Throws: ``EnrollmentError`` `profileRefused` or `identityRefused`.
    init(xml: [UInt8]) throws(EnrollmentError) {
        let findings = ProfileLinter(delivery: .enrollment).findings(inXML: xml).filter { $0.severity == .error }
        guard findings.isEmpty else {
            throw EnrollmentError(.profileRefused, findings.map(\.description).joined(separator: " "))
        }
        do {
            var profile = try Profile(xml: xml)
            server = try Self.server(of: profile)
            identity = try Self.takeIdentity(server.identityUUID, out: &profile)
            self.profile = Data(try profile.xml())
        } catch let error as EnrollmentError { throw error } catch {
            throw EnrollmentError(.profileRefused, "\(error)")
        }
    }

    static func server(of profile: Profile) throws(EnrollmentError) -> EnrollmentPayload {
        for payload in profile.payloads { if case .enrollment(let server) = payload.content { return server } }
        throw EnrollmentError(.profileRefused, "the profile names no server")
    }

    private static func takeIdentity(
        _ uuid: String, out profile: inout Profile
    ) throws(EnrollmentError) -> HTTPSClient.Identity {
        var found: HTTPSClient.Identity?
        for index in profile.payloads.indices {
            guard case .identity(let payload) = profile.payloads[index].content else { continue }
            if profile.payloads[index].uuid == uuid {
                do {
                    let opened = try PKCS12(container: payload.container.exposed, password: payload.password.exposed)
                    found = HTTPSClient.Identity(certificates: opened.certificates, privateKey: opened.privateKey)
                } catch { throw EnrollmentError(.identityRefused, "\(error)") }
            }
            // The payload stays in the profile, but without its content, because the device's list of profiles still
            // names it.
            profile.payloads[index].content = .identity(IdentityPayload(container: [], password: ""))
        }
        guard let found else { throw EnrollmentError(.profileRefused, "the profile holds no identity") }
        return found
    }
}

/// The server of an enrollment: its address, its trust roots, and the device's identity there.
package struct ServerAccess: Sendable {
    package let identity: HTTPSClient.Identity
    /// The trust roots from the enrollment profile, in PEM format.
    package let roots: [UInt8]
    /// The address at which the device asks for commands.
    package var serverURL: String { enrollment.serverURL }
    let enrollment: EnrollmentPayload

    /// - Throws: the reader's error if the profile can no longer be read.
    init(profile bytes: Data, identity: HTTPSClient.Identity) throws {
        let profile = try Profile(xml: Array(bytes))
        let roots = profile.payloads.compactMap { payload -> String? in
            guard case .rootCertificate(let root) = payload.content else { return nil }
            return PEMDocument(type: "CERTIFICATE", derBytes: root.certificate).pemString + "\n"
        }
        self.identity = identity
        self.roots = Array(roots.joined().utf8)
        enrollment = try EnrollmentOffer.server(of: profile)
    }
}

extension ServerLink {
    /// Creates the connection to the server of a profile that was checked before.
    ///
    /// - Throws: ``EnrollmentError``.
    init(profile bytes: Data, identity: HTTPSClient.Identity, connect: MDMClientService.Connect) throws(EnrollmentError)
    {
        do {
            let access = try ServerAccess(profile: bytes, identity: identity)
            self.init(client: try connect(access.identity, access.roots), enrollment: access.enrollment)
        } catch let error as EnrollmentError { throw error } catch let error as FileError {
            throw EnrollmentError(.storage, "the trust roots: \(error)")
        } catch {
            throw EnrollmentError(.identityRefused, "\(error)")
        }
    }
}
