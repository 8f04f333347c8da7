// SPDX-License-Identifier: Apache-2.0
import MDMProtocol

extension Decoder {
    /// The reader of property lists. A value that was read survives writing and reading again.
    func feedPropertyLists(_ bytes: [UInt8]) {
        guard let value = try? PropertyList(xml: bytes), let written = try? value.xml() else { return }
        check((try? PropertyList(xml: written)) == value, "a property list changes when written")
    }

    /// The types read from property lists: check-in, commands, results, manifests, profiles, and the linter's findings.
    func feedManagement(_ bytes: [UInt8]) {
        _ = Refusal.code(in: bytes)
        feedHomeScreen(bytes)
        for delivery in [ProfileLinter.Delivery.enrollment, .push] {
            _ = ProfileLinter(delivery: delivery).findings(inXML: bytes)
        }
        guard let value = try? PropertyList(xml: bytes) else { return }
        _ = try? CommandResult(propertyList: value)
        _ = try? AppManifest(propertyList: value)
        if let message = try? CheckInMessage(propertyList: value) {
            check((try? CheckInMessage(propertyList: message.propertyList)) == message, "a check-in changes")
        }
        if let request = try? CommandRequest(propertyList: value) {
            check((try? CommandRequest(propertyList: request.propertyList)) == request, "a command changes")
        }
        if let profile = try? Profile(propertyList: value) { _ = try? profile.xml() }
    }

    /// The home screen's configuration in both of its files.
    private func feedHomeScreen(_ bytes: [UInt8]) {
        _ = try? HomeConfiguration(json: bytes)
        guard let configuration = try? HomeConfiguration(published: bytes) else { return }
        check(
            (try? HomeConfiguration(published: configuration.published)) == configuration,
            "a home screen's configuration changes when written")
    }

    /// PKCS#12, with few iterations, since the cost of key derivation is not tested here.
    func feedContainers(_ bytes: [UInt8]) {
        _ = try? PKCS12(container: bytes, password: "password", limits: PKCS12.Limits(iterations: 10))
    }
}
