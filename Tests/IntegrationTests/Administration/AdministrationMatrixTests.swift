// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import TestSupport
import Testing

/// Every operation of administration, called by every kind of caller through the interfaces of a real server.
@Suite(.timeLimit(.minutes(10))) struct AdministrationMatrixTests {
    /// Makes one call of each operation, and returns those that were not answered as expected.
    ///
    /// - Parameters:
    ///   - expected: the code of the expected refusal; nil for an operation that must be served.
    private func mismatches(
        of caller: String, expecting expected: (AdminOperation) -> String?,
        _ call: (AdminOperation) async throws -> InterfaceAnswer
    ) async throws -> [String] {
        var mismatches: [String] = []
        for operation in AdminOperation.all {
            let answer = try await call(operation)
            // A call that is served may still be refused, because it names nothing that exists.
            let refusal = answer.refusal.flatMap { $0.hasPrefix("admin.") ? $0 : nil }
            let status = refusal.map { $0 == "admin.token" ? 401 : 403 }
            guard refusal == expected(operation), answer.status < 500, status == nil || answer.status == status else {
                mismatches.append("\(caller), \(operation.id): \(answer.status) \(answer.text)")
                continue
            }
        }
        return mismatches
    }

    private func call(
        _ operation: AdminOperation, at server: AdministeredServer, token: String?
    ) async throws -> InterfaceAnswer {
        try await server.call(
            operation, Attempt.places(of: operation), query: Attempt.query(of: operation), token: token,
            body: Attempt.body(of: operation))
    }

    /// Whether a permission is enough for an operation that needs another one.
    private func satisfies(_ held: String, _ needed: String) -> Bool {
        held == needed || held == needed.replacing(".Read.", with: ".ReadWrite.")
    }

    @Test func `a person with one role is served exactly the operations that are declared for the role`() async throws {
        try await Scratch.with { scratch in
            let server = try await AdministeredServer(in: scratch)
            let roles: [IdentityAdmin.Role] = try server.operate(IdentityAdmin.listRoles.operation).decoded()
            #expect(roles.count == 12)
            try server.addPerson("nobody")
            for (number, role) in roles.enumerated() {
                try server.addPerson("person\(number)", roles: role.displayName)
            }
            let callers = roles.enumerated().map { ("person\($0)", AdminRole(rawValue: $1.displayName)) }
            for (name, role) in callers + [("nobody", nil)] {
                let token = try await server.token(ofPerson: name)
                let wrong = try await mismatches(of: role?.rawValue ?? name) { operation in
                    switch operation.access {
                    case .anyone: nil
                    case .serverOnly: "admin.socketOnly"
                    case .directory(let roles, _):
                        role.map(roles.contains) == true ? nil : "admin.role"
                    }
                } _: {
                    try await call($0, at: server, token: token)
                }
                #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
            }
            // Each role of the declarations was tried.
            #expect(Set(callers.compactMap(\.1)).count == AdminRole.allCases.count)
        }
    }

    @Test func `an application is served exactly the operations that its permission allows`() async throws {
        try await Scratch.with { scratch in
            let server = try await AdministeredServer(in: scratch)
            for held in AdminOperation.permissions {
                let token = try await server.token(of: try server.addApplication([held]))
                let wrong = try await mismatches(of: held) { operation in
                    switch operation.access {
                    case .anyone: nil
                    case .serverOnly: "admin.socketOnly"
                    case .directory(_, let needed) where !satisfies(held, needed): "admin.permission"
                    // It always registers clients with power, whatever its call says.
                    case .directory where operation.id == "addCompatibilityClients": "admin.privileged"
                    case .directory: nil
                    }
                } _: {
                    try await call($0, at: server, token: token)
                }
                #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
            }
        }
    }

    @Test func `a person's token is good only for its own permissions, whatever role the person has`() async throws {
        try await Scratch.with { scratch in
            let server = try await AdministeredServer(in: scratch)
            for (number, held) in AdminOperation.permissions.enumerated() {
                // One person alone would call too often within a minute.
                try server.addPerson("admin\(number)", roles: "Global Administrator")
                let token = try await server.token(ofPerson: "admin\(number)", permission: held)
                let wrong = try await mismatches(of: held) { operation in
                    switch operation.access {
                    case .anyone: nil
                    case .serverOnly: "admin.socketOnly"
                    case .directory(_, let needed): satisfies(held, needed) ? nil : "admin.permission"
                    }
                } _: {
                    try await call($0, at: server, token: token)
                }
                #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
            }
        }
    }

    @Test func `without a token only the public operation is served, and the operator's socket serves every one`()
        async throws
    {
        try await Scratch.with { scratch in
            let server = try await AdministeredServer(in: scratch)
            let stranger = try await mismatches(of: "no token") {
                $0.access == .anyone ? nil : "admin.token"
            } _: {
                try await call($0, at: server, token: nil)
            }
            #expect(stranger.isEmpty, "\(stranger.joined(separator: "\n"))")
            let operated = try await mismatches(of: "socket") { _ in
                nil
            } _: { operation in
                try server.operate(
                    operation, Attempt.places(of: operation), query: Attempt.query(of: operation),
                    body: Attempt.body(of: operation))
            }
            #expect(operated.isEmpty, "\(operated.joined(separator: "\n"))")
            // A caller without a token learns where to get one (RFC 9728).
            let metadata = try await server.send("GET", "/.well-known/oauth-protected-resource", token: nil)
            #expect(metadata.status == 200 && metadata.text.contains(server.resource), "\(metadata.text)")
            let refused = try await server.call(IdentityAdmin.listUsers.operation, token: nil)
            #expect(
                refused.header("www-authenticate")
                    == "Bearer resource_metadata=\"\(server.resource)/.well-known/oauth-protected-resource\"")
        }
    }
}
