// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
package import Storage
internal import Synchronization

/// Caches the organisations and applications that every grant needs.
///
/// The transaction of every change announces a ``RegistrationChange``, and the cache is cleared before the next write
/// can begin. A writing transaction therefore always sees the committed state, and a reading transaction never sees a
/// state older than its own start. A disabled client is refused from the next request on.
///
/// If other processes may write to the database, nothing is cached: each transaction reads the data that it needs from
/// the database, so that every node refuses a disabled client at once.
package final class DirectoryCache: Sendable {
    fileprivate struct State {
        /// The number of changes so far.
        var changes = 0
        var clients: [TenantID: [ClientID: Client]] = [:]
        /// The organisations by id, by domain, and under ``Place/only``.
        var tenants: [Place: Tenant] = [:]
    }

    /// The key of a cached organisation.
    enum Place: Hashable {
        case id(TenantID)
        case domain(String)
        /// The server's only organisation.
        case only
    }

    fileprivate let database: any Database
    fileprivate let isShared: Bool
    fileprivate let state = Mutex(State())

    /// - Parameter isShared: whether other nodes use the database.
    init(database: any Database, isShared: Bool) {
        (self.database, self.isShared) = (database, isShared)
        database.observe(RegistrationChange.self) { [weak self] _ in self?.forget() }
    }

    private func forget() {
        state.withLock { $0 = State(changes: $0.changes + 1) }
    }

    /// A view of the cache, for a transaction that has not begun yet.
    package var view: View { View(kept: self, changes: state.withLock { $0.changes }) }

    /// Returns the organisation for a key. Returns nil if there is no such organisation or, for `only`, if the server
    /// has several.
    ///
    /// - Throws: ``StorageError``
    func tenant(at place: Place) async throws -> Tenant? {
        if let known = state.withLock({ $0.tenants[place] }) { return known }
        let view = view
        let found = try await database.read { connection in
            let tenants = Tenants(connection)
            return switch place {
            case .id(let id): try tenants.find(id)
            case .domain(let domain): try tenants.find(domain: domain)
            case .only: try tenants.only()
            }
        }
        if let found { view.keep { $0.tenants[place] = found } }
        return found
    }

    /// Access to the cache for one transaction. Objects that the transaction reads from the database are added to the
    /// cache only if no change was announced after the view was taken.
    package struct View: Sendable {
        private let kept: DirectoryCache
        private let changes: Int

        fileprivate init(kept: DirectoryCache, changes: Int) { (self.kept, self.changes) = (kept, changes) }

        fileprivate func keep(_ change: (inout State) -> Void) {
            guard !kept.isShared else { return }
            kept.state.withLock { state in
                if state.changes == changes { change(&state) }
            }
        }

        /// Returns a cached application, or the result of `find`.
        ///
        /// - Throws: the error of `find`.
        package func client(
            _ id: ClientID, tenant: TenantID, orElse find: () throws -> Client?
        ) throws -> Client? {
            if let known = kept.state.withLock({ $0.clients[tenant]?[id] }) { return known }
            guard let found = try find() else { return nil }
            keep { $0.clients[tenant, default: [:]][id] = found }
            return found
        }

        func tenant(_ id: TenantID, orElse find: () throws -> Tenant?) throws -> Tenant? {
            if let known = kept.state.withLock({ $0.tenants[.id(id)] }) { return known }
            guard let found = try find() else { return nil }
            keep { $0.tenants[.id(id)] = found }
            return found
        }
    }
}

/// The announcement that an organisation or an application was added, changed or removed.
struct RegistrationChange: Announcement {
    var message: AnnouncementMessage { AnnouncementMessage(kind: "registration") }

    init() {}

    init?(_ message: AnnouncementMessage) {
        guard message == RegistrationChange().message else { return nil }
    }
}

extension DirectoryCache {
    /// Returns the tenant that a request's URL names by id or by domain. `common` and `organizations` mean the server's
    /// only tenant; for these names the result is nil if the server has no tenant or several tenants.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func tenant(in context: IdentityContext) async throws -> Tenant? {
        let name = try context.parameters.require("tenant").lowercased()
        if name == "common" || name == "organizations" { return try await tenant(at: .only) }
        let place = TenantID(rawValue: name).map(Place.id) ?? .domain(name)
        guard let found = try await tenant(at: place) else { throw OAuthError.unknownTenant }
        return found
    }

    /// Returns the tenant that a request's URL names. Throws if `common` or `organizations` is ambiguous.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func oneTenant(in context: IdentityContext) async throws -> Tenant {
        guard let tenant = try await tenant(in: context) else { throw OAuthError.ambiguousTenant }
        return tenant
    }

    /// Returns the tenant that a request's URL names or, if the URL is ambiguous, the tenant of the domain in a user
    /// name.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func tenant(in context: IdentityContext, orOf userName: String?) async throws -> Tenant {
        if let tenant = try await tenant(in: context) { return tenant }
        guard let domain = userName?.split(separator: "@").last.map(String.init) else {
            throw OAuthError.ambiguousTenant
        }
        let found = try await tenant(at: .domain(domain.lowercased()))
        guard let found else { throw OAuthError.ambiguousTenant }
        return found
    }
}
