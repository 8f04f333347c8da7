// SPDX-License-Identifier: Apache-2.0
import CommandLineInterface
import FoundationEssentials
import Processes

/// The data that an environment keeps between starts: ports, and the organisation with its people and their passwords.
///
/// An environment is a demonstration on one machine: the passwords are shown on the screen and stored in a file that
/// only its owner can read.
struct EnvironmentFacts: Codable, Sendable {
    let port: UInt16
    let mdmPort: UInt16
    /// The port of the administration over HTTPS; nil in an environment that is older than this listener.
    let administrationPort: UInt16?
    let people: [Person]
    let apps: [App]
    var tenantID: String?
    /// The shared device profile, once it is registered with the MDM.
    var profile: String?
    /// Whether the device has been enrolled and has received everything.
    var isPushed = false

    struct Person: Codable, Sendable {
        let userName: String
        let displayName: String
        let givenName: String
        let surname: String
        let jobTitle: String
        let mobilePhone: String
        let role: String?
        let password: String

        var mail: String { userName }
    }

    struct App: Codable, Sendable {
        let number: Int
        let title: String
        let sample: Sample
        let clientID: String
        let bundleID: String

        var redirectURI: String { "msauth.\(bundleID)://auth" }

        /// The sample apps, by the names of their programs.
        enum Sample: String, Codable, CaseIterable, Sendable {
            /// The app for the terminal.
            case firstlineWorker = "firstline-worker"
            /// The app with a window.
            case wardRound = "ward-round"
        }
    }

    static let domain = "seaview.baton.test"
    static let organisation = "Seaview Hospital"
    static let login = "login.baton.test"
    static let registration = "enterpriseregistration.baton.test"
    static let graph = "graph.baton.test"
    static let mdm = "mdm.baton.test"
    static let administration = "admin.baton.test"
    static let names = [login, registration, graph, mdm, administration]
    static let cloudDeviceAdministrator = "Cloud Device Administrator"
    static let globalAdministrator = "Global Administrator"

    var loginURL: String { "https://\(Self.login):\(port)" }
    var registrationURL: String { "https://\(Self.registration):\(port)" }
    var graphURL: String { "https://\(Self.graph):\(port)" }
    var mdmURL: String { "https://\(Self.mdm):\(mdmPort)" }
    var administrationURL: String? { administrationPort.map { "https://\(Self.administration):\($0)" } }
    var resolution: [String: String] {
        Dictionary(uniqueKeysWithValues: Self.names.map { ($0, "127.0.0.1") })
    }

    func person(_ givenName: String) throws -> Person {
        guard let person = people.first(where: { $0.givenName == givenName }) else {
            throw CommandFailure(
                code: "environment_person", message: "Nobody in this environment is called \(givenName).",
                remedy: "Remove the environment's folder and start it again.")
        }
        return person
    }

    /// Returns the facts of a new environment.
    static func new() throws -> EnvironmentFacts {
        EnvironmentFacts(
            port: try freePort(), mdmPort: try freePort(), administrationPort: try freePort(),
            people: [
                person("Ada", "Lindqvist", job: "IT", phone: "+1 555 0100 117", role: globalAdministrator),
                person("Carol", "Mbeki", job: "IT", phone: "+1 555 0100 223", role: cloudDeviceAdministrator),
                person("Amara", "Okafor", job: "Nurse, ward 7", phone: "+1 555 0142 773", role: nil),
                person("Bo", "Johansen", job: "Nurse, ward 7", phone: "+1 555 0142 889", role: nil),
                person("Chen", "Wei", job: "Pharmacist", phone: "+1 555 0142 991", role: nil),
            ],
            apps: (1...3).map { number in
                app(number, title: "Firstline Worker \(number)", .firstlineWorker, name: "firstlineworker\(number)")
            } + [app(4, title: "Ward Round", .wardRound, name: "wardround")])
    }

    private static func app(
        _ number: Int, title: String, _ sample: App.Sample, name: String
    ) -> App {
        App(
            number: number, title: title, sample: sample, clientID: UUID().uuidString.lowercased(),
            bundleID: "org.baton.examples.\(name)")
    }

    private static func person(
        _ givenName: String, _ surname: String, job jobTitle: String, phone: String, role: String?
    ) -> Person {
        Person(
            userName: "\(givenName.lowercased()).\(surname.lowercased())@\(domain)",
            displayName: "\(givenName) \(surname)",
            givenName: givenName, surname: surname, jobTitle: jobTitle, mobilePhone: phone, role: role,
            password: password())
    }

    private static func freePort() throws -> UInt16 {
        guard let port = FreePort.tcp() else {
            throw CommandFailure(
                code: "no_port", message: "The machine has no free TCP port on 127.0.0.1.",
                remedy: "Stop other programs.")
        }
        return port
    }

    /// A password that is easy to type with gloves, and different in each environment.
    private static func password() -> String {
        let first = [
            "amber", "brave", "calm", "clear", "early", "green", "happy", "lucky", "quiet", "rapid", "sunny", "warm",
        ]
        let second = [
            "anchor", "beaver", "cedar", "falcon", "garden", "harbor", "maple", "meadow", "otter", "river", "rocket",
            "willow",
        ]
        var random = SystemRandomNumberGenerator()
        func word(_ words: [String]) -> String { words[Int.random(in: words.indices, using: &random)] }
        return "\(word(first))-\(word(second))-\(Int.random(in: 1000...9999, using: &random))"
    }
}
