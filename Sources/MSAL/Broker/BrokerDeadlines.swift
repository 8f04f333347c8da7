// SPDX-License-Identifier: Apache-2.0

/// How long the library waits for each step of the broker.
package struct BrokerDeadlines: Sendable {
    /// How long a call waits for a connection before it fails.
    package var connect: Duration = .seconds(1)
    /// How long a new connection waits for the broker's hello.
    package var hello: Duration = .seconds(1)
    /// How long the broker may take to accept sent data before the library closes the connection.
    package var taking: Duration = .seconds(10)
    /// How long the rest of a message may take to arrive after its first byte. The broker sends each message in one
    /// piece.
    package var frame: Duration = .seconds(2)
    /// How long the library waits for the reply to a request for something that the broker already knows, such as the
    /// current account. The broker answers in milliseconds. A person may be waiting for a screen that depends on the
    /// reply; if the broker hangs, they must not conclude that the app hangs.
    package var reading: Duration = .seconds(3)
    /// How long the library waits for the reply to a request that the broker records on disk without asking the server.
    package var recording: Duration = .seconds(10)
    /// How long the library waits for the reply to any other request without user interaction.
    package var silent: Duration = .seconds(60)
    /// How long a sign-in waits for its reply. This is longer than the time for which the broker keeps a sign-in page
    /// open.
    package var interactive: Duration = .seconds(660)
    /// How long a cancelled sign-in waits for its reply. The broker closes the sign-in's window before it replies.
    package var cancellation: Duration = .seconds(5)
    /// The longest pause between connection attempts while the broker is unavailable or closes each connection at once.
    package var pause: Duration = .seconds(2)

    package init() {}
}
