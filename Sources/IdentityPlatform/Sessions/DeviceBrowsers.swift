// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// The device, epoch and worker that a browser belongs to.
struct BrowserBinding: Sendable {
    let tenant: TenantID
    let person: UserID
    let device: DeviceBinding
    let epochCounter: Int64?

    func isOf(_ user: User) -> Bool { user.tenant == tenant && user.id == person }

    /// Returns whether the session has the same person, device and epoch.
    func isOf(_ session: Session) -> Bool {
        session.tenant == tenant && session.user == person && session.device?.id == device.id
            && session.epochCounter == epochCounter
    }
}

enum DeviceBrowser: Table {
    static let table = "deviceBrowser"

    enum Column: String, ColumnName {
        case browser, tenant, device, sharedDevice, epochCounter, session, person, noted
    }
}

/// Access to the browsers that belong to devices, in one transaction.
///
/// A browser belongs to a device once a session that began in the browser is bound to the device, or once the browser
/// presents the device's browser credential. A browser belongs to a shared device until the epoch ends, and to a
/// personal device until the session ends. Until then, every session that the worker begins in the browser is bound to
/// the same device and epoch, whatever the request asked for.
struct DeviceBrowsers {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    /// Returns the binding for a session that begins now in this browser; nil if the session must not be bound.
    ///
    /// - Parameter cookie: the cookie of the browser's current session.
    /// - Throws: ``OAuthError`` `endedBrowserEpoch` if the epoch has ended, `disabledDevice`; ``StorageError``
    func binding(
        of browser: BrowserID, holding cookie: OpaqueToken?, at time: Timestamp
    ) throws -> BrowserBinding? {
        if let (binding, isOpen) = try noted(browser), isOpen || binding.device.isShared {
            guard isOpen else { throw OAuthError.endedBrowserEpoch }
            guard try Devices(connection).find(binding.device.id, tenant: binding.tenant)?.isEnabled == true else {
                throw OAuthError.disabledDevice
            }
            return binding
        }
        // If a session was bound before the server recorded browsers, only the cookie identifies the device.
        guard let cookie, let session = try BrowserSessions(connection).session(cookie, at: time), session.device != nil
        else { return nil }
        let live: LiveSession
        do { live = try LiveSession(session.id, tenant: session.tenant, connection) } catch is OAuthError { return nil }
        return live.session.device.map {
            BrowserBinding(
                tenant: session.tenant, person: session.user, device: $0, epochCounter: live.session.epochCounter)
        }
    }

    /// Records that a browser belongs to the device of a session. On a shared device, the worker's sessions that began
    /// earlier in the browser are bound to the epoch as well. All other sessions that began in the browser and are not
    /// bound to a shared device are ended: sessions of other people, sessions of other devices, and sessions that a
    /// device code started for another screen.
    ///
    /// - Throws: ``OAuthError`` `otherPersonOnDevice` if the browser belongs to another worker, epoch or device;
    ///   ``StorageError``
    func claim(_ browser: BrowserID, for session: Session, at time: Timestamp) throws {
        guard let device = session.device else { return }
        guard try admits(session, in: browser) else { throw OAuthError.otherPersonOnDevice }
        try connection.upsert(
            into: DeviceBrowser.self, key: [.browser],
            [
                .browser: browser.hash, .tenant: session.tenant, .device: device.id, .sharedDevice: device.isShared,
                .epochCounter: session.epochCounter, .session: session.id, .person: session.user, .noted: time,
            ])
        guard device.isShared else { return }
        let sessions = Sessions(connection)
        let unbound = try connection.records(
            Session.self,
            "WHERE browser = \(browser.hash) AND ended IS NULL AND (device IS NULL OR sharedDevice = 0)")
        for other in unbound {
            let isOfWorker = other.tenant == session.tenant && other.user == session.user && !other.isFromDeviceCode
            if isOfWorker,
                try sessions.bind(other.id, tenant: other.tenant, to: device, epochCounter: session.epochCounter)
            {
                continue
            }
            try sessions.end(other.id, tenant: other.tenant, at: time, because: .handedOver, by: device.id.rawValue)
        }
    }

    /// Replaces an erased person's id with an id that nobody has. The records stay, because a browser belongs to a
    /// shared device until the epoch ends.
    ///
    /// - Throws: ``StorageError``
    func replace(_ person: UserID, with nobody: UserID, tenant: TenantID) throws {
        try connection.execute(
            "UPDATE deviceBrowser SET person = \(nobody) WHERE tenant = \(tenant) AND person = \(person)")
    }

    /// Returns whether a session may be used in a browser. In a shared device's browser, this is true only for the
    /// worker's session of the current epoch.
    ///
    /// - Throws: ``StorageError``
    func admits(_ session: Session, in browser: BrowserID) throws -> Bool {
        guard let (binding, isOpen) = try noted(browser), isOpen, binding.device.isShared else { return true }
        return binding.isOf(session)
    }

    /// Removes the record of a browser whose epoch or session has ended, so that the next sign-in in that browser is
    /// not bound to that epoch or session.
    ///
    /// - Throws: ``StorageError``
    func forgetIfOver(_ browser: BrowserID) throws {
        guard try isOver(browser) else { return }
        try connection.execute("DELETE FROM deviceBrowser WHERE browser = \(browser.hash)")
    }

    /// Returns whether the epoch or session that a browser belonged to has ended.
    ///
    /// - Throws: ``StorageError``
    func isOver(_ browser: BrowserID) throws -> Bool { try noted(browser).map { !$0.isOpen } ?? false }

    /// Returns a browser's record, and whether the record still applies.
    private func noted(_ browser: BrowserID) throws -> (BrowserBinding, isOpen: Bool)? {
        try connection.row(
            """
            SELECT deviceBrowser.tenant AS tenant, deviceBrowser.person AS person, deviceBrowser.device AS device,
                deviceBrowser.sharedDevice AS sharedDevice, deviceBrowser.epochCounter AS epochCounter,
                device.epochCounter AS presentCounter, device.epochClosed AS epochClosed, session.id AS liveSession
            FROM deviceBrowser
            JOIN device ON device.tenant = deviceBrowser.tenant AND device.id = deviceBrowser.device
            LEFT JOIN session ON session.tenant = deviceBrowser.tenant AND session.id = deviceBrowser.session
                AND session.ended IS NULL
            WHERE deviceBrowser.browser = \(browser.hash)
            """
        ).map { row in
            let (isShared, counter): (Bool, Int64?) = (try row["sharedDevice"], try row["epochCounter"])
            let (present, isClosed): (Int64?, Bool) = (try row["presentCounter"], try row["epochClosed"])
            let live: SessionID? = try row["liveSession"]
            let binding = BrowserBinding(
                tenant: try row["tenant"], person: try row["person"],
                device: DeviceBinding(id: try row["device"], isShared: isShared), epochCounter: counter)
            return (binding, isOpen: isShared ? present == counter && !isClosed : live != nil)
        }
    }
}
