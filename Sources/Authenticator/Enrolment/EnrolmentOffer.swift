// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement
internal import FoundationEssentials
internal import Redaction
internal import SwiftASN1

/// An enrolment profile that was judged and opened, before anything is made of it.
struct EnrolmentOffer: Sendable {
    /// The profile as it is kept, its key taken out.
    let profile: Data
    let identity: HTTPSClient.Identity
    let server: EnrolmentPayload

    /// Judges a profile and opens its identity, which takes as long as the profile's maker chose (within limits).
    ///
    /// - Throws: ``EnrolmentError`` `profileRefused` or `identityRefused`.
    init(xml: [UInt8]) throws(EnrolmentError) {
        let findings = ProfileLinter(delivery: .enrolment).findings(inXML: xml).filter { $0.severity == .error }
        guard findings.isEmpty else {
            throw EnrolmentError(.profileRefused, findings.map(\.description).joined(separator: "; "))
        }
        do {
            var profile = try Profile(xml: xml)
            server = try Self.server(of: profile)
            identity = try Self.takeIdentity(server.identityUUID, out: &profile)
            self.profile = Data(try profile.xml())
        } catch let error as EnrolmentError { throw error } catch {
            throw EnrolmentError(.profileRefused, "\(error)")
        }
    }

    static func server(of profile: Profile) throws(EnrolmentError) -> EnrolmentPayload {
        for payload in profile.payloads { if case .enrolment(let server) = payload.content { return server } }
        throw EnrolmentError(.profileRefused, "the profile names no server")
    }

    private static func takeIdentity(
        _ uuid: String, out profile: inout Profile
    ) throws(EnrolmentError) -> HTTPSClient.Identity {
        var found: HTTPSClient.Identity?
        for index in profile.payloads.indices {
            guard case .identity(let payload) = profile.payloads[index].content else { continue }
            if profile.payloads[index].uuid == uuid {
                do {
                    let opened = try PKCS12(container: payload.container.exposed, password: payload.password.exposed)
                    found = HTTPSClient.Identity(certificates: opened.certificates, privateKey: opened.privateKey)
                } catch { throw EnrolmentError(.identityRefused, "\(error)") }
            }
            // What the device answers about its profiles still names the payload.
            profile.payloads[index].content = .identity(IdentityPayload(container: [], password: ""))
        }
        guard let found else { throw EnrolmentError(.profileRefused, "the profile holds no identity") }
        return found
    }
}

/// The server of an enrolment: where it is, whom to trust there, and who the device is to it.
package struct ServerAccess: Sendable {
    package let identity: HTTPSClient.Identity
    /// PEM certificates that the enrolment profile brought.
    package let roots: [UInt8]
    /// Where the device asks for commands.
    package var serverURL: String { enrolment.serverURL }
    let enrolment: EnrolmentPayload

    /// - Throws: the reader's error for a profile that cannot be read any more.
    init(profile bytes: Data, identity: HTTPSClient.Identity) throws {
        let profile = try Profile(xml: Array(bytes))
        let roots = profile.payloads.compactMap { payload -> String? in
            guard case .rootCertificate(let root) = payload.content else { return nil }
            return PEMDocument(type: "CERTIFICATE", derBytes: root.certificate).pemString + "\n"
        }
        self.identity = identity
        self.roots = Array(roots.joined().utf8)
        enrolment = try EnrolmentOffer.server(of: profile)
    }
}

extension ServerLink {
    /// The way to the server of a profile that was judged before.
    ///
    /// - Throws: ``EnrolmentError``.
    init(profile bytes: Data, identity: HTTPSClient.Identity, connect: EnrolmentAgent.Connect) throws(EnrolmentError) {
        do {
            let access = try ServerAccess(profile: bytes, identity: identity)
            self.init(client: try connect(access.identity, access.roots), enrolment: access.enrolment)
        } catch let error as EnrolmentError { throw error } catch let error as FileError {
            throw EnrolmentError(.storage, "the trust roots: \(error)")
        } catch {
            throw EnrolmentError(.identityRefused, "\(error)")
        }
    }
}
