// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import DeviceKeyStore
package import DeviceSettings
package import OAuth
internal import SwiftASN1

/// Makes calls to the identity platform in the device's name. It holds no secret of a user.
package struct DeviceCallSigner: Sendable {
    package var server: IdentityClient
    package let keys: DeviceKeys
    /// The device certificate, in DER format.
    package let certificate: [UInt8]
    /// Returns the current time, in seconds since 1970.
    package let now: @Sendable () -> Int
    private let deviceID: String

    /// - Throws: the certificate library's error if the certificate cannot be read.
    package init(join: JoinRecord, keys: DeviceKeys, https: any HTTPSending, now: @escaping @Sendable () -> Int) throws
    {
        server = IdentityClient(https: https, loginURL: join.loginURL, tenant: join.tenantID)
        self.keys = keys
        certificate = try PEMDocument(pemString: join.certificate).derBytes
        self.now = now
        deviceID = join.deviceID
    }

    /// Makes a call with a fresh nonce and returns the reply's body.
    ///
    /// - Parameter make: makes the call from its binding; it may block.
    /// - Throws: as ``IdentityClient/post(to:signed:)``.
    package func answer<Call: DeviceCall>(
        to make: @escaping @Sendable (CallBinding) throws -> Call
    ) async throws -> [UInt8] {
        try await server.post(to: Call.path(tenant: server.tenant)) { nonce in
            Call.form(try await signed(over: nonce, make))
        }
    }

    /// Returns a proof that a sign-in page is shown on this device, for the sign-in of this epoch.
    package func signInPageProof(_ epoch: Epoch) async throws -> String {
        guard let counter = Int(exactly: epoch.counter),
            let epoch = DeviceEpoch(id: epoch.id.description, counter: counter)
        else { throw BrokerError(.internal, "The epoch cannot be sent to the server. Reset the device.") }
        return try await signed(over: try await server.nonce()) { SignInPageProof($0, epoch: epoch) }
    }

    /// Returns the call with this nonce, signed by the device's identity key.
    package func signed<Call: DeviceCall>(
        over nonce: String, _ make: @escaping @Sendable (CallBinding) throws -> Call
    ) async throws -> String {
        let binding = CallBinding(
            audience: server.loginURL + Call.path(tenant: server.tenant), deviceID: deviceID, nonce: nonce,
            issuedAt: now())
        return try await keys.using { [certificate] keys in
            try make(binding).signed(with: keys.identity, certificate: certificate)
        }
    }
}
