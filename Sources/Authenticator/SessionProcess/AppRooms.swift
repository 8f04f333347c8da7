// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC

/// The places for app connections of a session process: apart for those that have not said hello, those that are served,
/// and those that acknowledge an ended epoch, so that none of these keeps another out.
struct AppRooms {
    typealias Table = ConnectionTable<ObjectIdentifier>

    private var tables: [ConnectionLimitReport.Stage: Table] = [
        .greeting: Table(ConnectionLimits.greeting.scaled()), .serving: Table(ConnectionLimits.serving.scaled()),
        .acknowledging: Table(ConnectionLimits.acknowledging.scaled()),
    ]

    /// Gives a connection a place in the room of `stage`, and takes back the one that it had in another.
    ///
    /// - Parameter use: how a connection is used, for those that are there.
    mutating func move(
        _ app: AppConnection, to stage: ConnectionLimitReport.Stage, use: (ObjectIdentifier) -> Table.Use
    ) -> Table.Admission {
        leave(app)
        return tables[stage]?.admit(ObjectIdentifier(app), of: app.peer.process, use: use) ?? .refused(.total)
    }

    mutating func leave(_ app: AppConnection) {
        for stage in tables.keys { tables[stage]?.remove(ObjectIdentifier(app)) }
    }

    /// How many those have in a room whom a limit is for.
    func count(
        _ limit: ConnectionLimitReport.Limit, of process: AppProcess, in stage: ConnectionLimitReport.Stage
    ) -> Int { tables[stage]?.count(limit, of: process) ?? 0 }
}
