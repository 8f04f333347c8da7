// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import HTTPTypes
import IdentityPlatform
import StorageTestSupport
import TestSupport
import Testing

/// Changes of different members of one object at the same time: none is lost.
@Suite struct ConcurrentChangeTests {
    private func person(_ fixture: TestAdministration) async throws -> IdentityAdmin.User {
        try await fixture.operate(IdentityAdmin.getUser.operation, ["user": "bo@contoso.test"]).decoded()
    }

    @Test func `of two changes of a person at once, both are kept`() async throws {
        let fixture = try await TestAdministration()
        let change = IdentityAdmin.changeUser.operation
        let places = ["user": "bo@contoso.test"]
        fixture.beforeAct.set {
            let other = try await fixture.operate(change, places, body: #"{"surname":"Okafor","jobTitle":"Nurse"}"#)
            #expect(other.status == .noContent, "\(other.text)")
        }
        let answer = try await fixture.operate(change, places, body: #"{"givenName":"Bo"}"#)
        #expect(answer.status == .noContent, "\(answer.text)")
        let user = try await person(fixture)
        #expect(user.givenName == "Bo" && user.surname == "Okafor" && user.jobTitle == "Nurse")
    }

    @Test func `of two changes of a person through Graph at once, both are kept`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.graphToken()
        let path = "/v1.0/users/bo@contoso.test"
        fixture.beforeAct.set {
            let other = try await fixture.graph(
                .patch, path, token: token, body: #"{"surname":"Okafor","jobTitle":null}"#)
            #expect(other.status == .noContent, "\(other.text)")
        }
        let answer = try await fixture.graph(.patch, path, token: token, body: #"{"givenName":"Bo"}"#)
        #expect(answer.status == .noContent, "\(answer.text)")
        let user = try await person(fixture)
        #expect(user.givenName == "Bo" && user.surname == "Okafor" && user.displayName == "bo")
    }

    @Test func `of two changes of a group through Graph at once, both are kept`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.graphToken()
        let group = try await fixture.acts.groups.add(
            "Ward", mailNickname: "ward", description: "first", tenant: fixture.tenant.id)
        let path = "/v1.0/groups/\(group.id)"
        fixture.beforeAct.set {
            let other = try await fixture.graph(
                .patch, path, token: token, body: #"{"description":"second","mailNickname":"w2"}"#)
            #expect(other.status == .noContent, "\(other.text)")
        }
        let answer = try await fixture.graph(.patch, path, token: token, body: #"{"displayName":"Ward 2"}"#)
        #expect(answer.status == .noContent, "\(answer.text)")
        let present = try await fixture.graph(.get, path, token: token)
        for text in [#""second""#, #""w2""#, #""Ward 2""#] { #expect(present.text.contains(text), "\(present.text)") }
    }

    @Test func `of two changes of the device registration policy at once, both are kept`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.graphToken()
        let path = "/v1.0/policies/deviceRegistrationPolicy"
        fixture.beforeAct.set {
            let other = try await fixture.graph(.put, path, token: token, body: #"{"userDeviceQuota":7}"#)
            #expect(other.status == .ok, "\(other.text)")
        }
        let join = ##"{"allowedToJoin":{"@odata.type":"#microsoft.graph.noDeviceRegistrationMembership"}}"##
        let answer = try await fixture.graph(.put, path, token: token, body: #"{"azureADJoin":\#(join)}"#)
        #expect(answer.status == .ok, "\(answer.text)")
        let present = try await fixture.graph(.get, path, token: token)
        #expect(present.text.contains(#""userDeviceQuota":7"#), "\(present.text)")
        #expect(present.text.contains("noDeviceRegistrationMembership"), "\(present.text)")
    }
}
