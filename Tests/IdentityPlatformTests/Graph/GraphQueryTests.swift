// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import JSON
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

@Suite struct GraphQueryTests {
    private static func populated() async throws -> (TestPlatform, GraphCaller) {
        let fixture = try await TestPlatform()
        for number in 1...5 {
            _ = try await fixture.administration.users.add(
                "n\(number)@contoso.test",
                profile: User.Profile(displayName: "N'\(number)", jobTitle: number < 3 ? "Nurse" : nil),
                password: Sensitive(TestPlatform.password), isEnabled: number != 2, tenant: fixture.tenant)
        }
        return (fixture, try await GraphCaller(fixture, .globalReader))
    }

    @Test func `a list is returned page by page, each object on exactly one page, even if objects are removed`()
        async throws
    {
        let (fixture, caller) = try await Self.populated()
        var next: String? = "/users?$top=2&$select=id,displayName"
        var ids: [String] = []
        var pages = 0
        while let path = next {
            let answer = try await caller.get(path)
            #expect(answer.status == .ok, "\(answer.text)")
            let page = try answer.list
            #expect(page.count <= 2)
            #expect(page.allSatisfy { Set($0.keys) == ["@odata.etag", "id", "displayName"] })
            ids += page.compactMap { $0["id"]?.string }
            pages += 1
            // Removing a person between two pages does not shift the others.
            if pages == 1, let first = page.first?["id"]?.string, let id = UserID(rawValue: first), id != fixture.bo.id
            {
                let person = try await fixture.platform.database.read {
                    try Users($0).find(id, tenant: fixture.tenant.id)
                }
                try await fixture.administration.users.remove(try #require(person))
            }
            next = try answer.json.values["@odata.nextLink"]?.string.map {
                #expect($0.hasPrefix("https://graph.test:8443/v1.0/users?"))
                return String($0.dropFirst("https://graph.test:8443/v1.0".count))
            }
        }
        #expect(ids.count == 7 && Set(ids).count == 7)
        #expect(pages == 4)
    }

    @Test func `a page token works only for its own list and person, and nobody can forge one`() async throws {
        let (fixture, caller) = try await Self.populated()
        let link = try #require(try await caller.get("/users?$top=1").json.values["@odata.nextLink"]?.string)
        let token = try #require(try FormParameters(parsing: link.split(separator: "?")[1].utf8)["$skiptoken"])
        #expect(try await caller.get("/users?$top=1&$skiptoken=\(token)").status == .ok)
        let other = try await GraphCaller(fixture, .globalReader, as: fixture.amara)
        for (who, path) in [
            (caller, "/groups?$skiptoken=\(token)"), (caller, "/users?$filter=id eq null&$skiptoken=\(token)"),
            (other, "/users?$skiptoken=\(token)"), (caller, "/users?$skiptoken=AAAA"),
            (caller, "/users?$skiptoken=\(token.dropLast())"),
        ] {
            let answer = try await who.get(path.replacing(" ", with: "%20"))
            #expect(answer.status == .badRequest, "\(path)")
            #expect(try answer.graphCode != nil)
        }
    }

    @Test func `filters work in the database and in lists in memory`() async throws {
        let (_, caller) = try await Self.populated()
        func names(_ filter: String, _ list: String = "/users") async throws -> [String] {
            try await caller.values("displayName", "\(list)?$filter=\(percentEncoded(filter))").sorted()
        }
        #expect(try await names("userPrincipalName eq 'N3@contoso.test'") == ["N'3"])
        #expect(try await names("displayName eq 'N''4'") == ["N'4"])
        #expect(try await names("jobTitle eq 'Nurse' and accountEnabled eq true") == ["Amara Okafor", "N'1"])
        #expect(try await names("accountEnabled eq false") == ["N'2"])
        #expect(try await names("surname eq null").count == 6)
        #expect(try await names("displayName eq ''' OR 1=1 --'").isEmpty)
        #expect(
            try await names("displayName eq 'Global Administrator'", "/directoryRoles") == ["Global Administrator"])
        let count = try await caller.get("/users?$count=true&$top=1&$filter=jobTitle%20eq%20'Nurse'")
        #expect(try count.json.values["@odata.count"] == .integer(3))
        #expect(try count.list.count == 1)
    }

    @Test(arguments: [
        "$expand=manager", "$orderby=displayName", "$search=\"a\"", "$skip=1", "$top=0", "$top=1000", "$top=x",
        "$count=1",
        "$select=password", "$select=passwordHash", "$select=", "$select=id,,displayName",
        "$filter=passwordHash eq 'x'",
        "$filter=displayName ne 'x'", "$filter=displayName eq x", "$filter=displayName eq 'x", "$filter=displayName eq",
        "$filter=startswith(displayName,'x')", "$filter=displayName eq 'x' or id eq 'y'",
        "$filter=accountEnabled eq 'x'",
        "$filter=id eq 'x' and", "$filter=mobilePhone eq '1'", "unknown=1", "$filter=id eq 'a'&$filter=id eq 'b'",
    ])
    func `an option that a list does not support is refused, not ignored`(query: String) async throws {
        // A parameter without a value counts as absent everywhere in the platform.
        let isEmpty = query == "$select="
        let caller = try await GraphCaller(try await TestPlatform(), .globalReader)
        let answer = try await caller.get("/users?\(query.replacing(" ", with: "%20").replacing("\"", with: "%22"))")
        #expect(answer.status == (isEmpty ? .ok : .badRequest), "\(answer.text)")
        if !isEmpty { #expect(try answer.graphCode?.hasPrefix("Request_") == true) }
    }

    @Test func `an unchanged object is not sent again, and a changed object is not overwritten`() async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture, .userAdministrator)
        let path = "/users/amara@contoso.test"
        let first = try await caller.get(path)
        let tag = try #require(first.headers[.eTag])
        #expect(try first.json.values["@odata.etag"]?.string == tag)
        let again = try await caller.get(path, headers: [.ifNoneMatch: "W/\"x\", \(tag)"])
        #expect(again.status == .notModified && again.body.isEmpty && again.headers[.eTag] == tag)

        let body = #"{"jobTitle":"Doctor"}"#
        let stale = try await caller.send(.patch, path, body: body, headers: [.ifMatch: "W/\"x\""])
        #expect(stale.status == .preconditionFailed)
        #expect(try stale.graphCode == "PreconditionFailed")
        #expect(try await caller.send(.patch, path, body: body, headers: [.ifMatch: tag]).status == .noContent)
        #expect(try await caller.send(.patch, path, body: body, headers: [.ifMatch: tag]).status == .preconditionFailed)
        #expect(try await caller.send(.delete, path, headers: [.ifMatch: tag]).status == .preconditionFailed)
        let fresh = try await caller.get(path, headers: [.ifNoneMatch: tag])
        #expect(fresh.status == .ok)
        #expect(try fresh.json.values["jobTitle"] == .string("Doctor"))
        #expect(try await caller.send(.delete, path, headers: [.ifMatch: "*"]).status == .noContent)
        #expect(try await caller.get(path).status == .notFound)
    }
}
