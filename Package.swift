// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// The languages of the pages (`Language` in WebPages), as the names of their files of texts.
let languages = ["en", "fr", "it", "pt", "pl", "ru", "de", "ar"]

let package = Package(
    name: "baton",
    products: [
        .library(name: "MSAL", targets: ["MSAL"]),
        .library(name: "Handover", targets: ["Handover"]),
        .library(name: "MSALTesting", targets: ["MSALTesting"]),
        .executable(name: "baton", targets: ["baton"]),
        .executable(name: "baton-agent", targets: ["baton-agent"]),
        .executable(name: "baton-browser-host", targets: ["baton-browser-host"]),
        .executable(name: "baton-dev", targets: ["baton-dev"]),
        .executable(name: "baton-helper", targets: ["baton-helper"]),
        .executable(name: "baton-server", targets: ["baton-server"]),
        .executable(name: "batond", targets: ["batond"]),
    ],
    traits: [
        .trait(
            name: "Programs",
            description:
                "The programs, the servers and all tests, with the packages that they need; scripts/swift turns it on.")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
    ],
    targets: [
        // Base: kernel calls that Swift's Glibc module does not expose, secrets, sockets, JSON, files, processes.
        .target(name: "CLinux"),
        // Replaces free(3) in each program that links this target.
        .target(name: "CWipedHeap"),
        // Stops a build without the trait Programs, with an error that names the right command.
        .target(name: "TraitCheck"),
        .systemLibrary(name: "CTSS", providers: [.apt(["libtss2-dev"])]),
        .target(name: "Encodings"),
        .target(name: "Retries"),
        .target(name: "JSON", dependencies: ["Encodings", "Redaction"]),
        .target(name: "Redaction", dependencies: ["CLinux"]),
        .target(name: "UnixSocket", dependencies: ["CLinux", "Redaction"]),
        .target(name: "Files", dependencies: ["CLinux", "Encodings", "JSON", "UnixSocket"]),
        .target(name: "Processes", dependencies: ["CLinux", "Files", "UnixSocket"]),

        // The format of logs and of published metrics, for servers and devices.
        .target(name: "Observability", dependencies: ["JSON", .logging]),

        // Vocabulary: value types only, no I/O.
        // Shared by all of Baton's pages: texts in several languages, markup, colours and logos, the on-screen keyboard.
        .target(
            name: "WebPages", dependencies: ["JSON"],
            resources: ["form.css", "keyboard.js"].map { .embedInCode("Markup/\($0)") }
                + languages.map { .embedInCode("Markup/Texts/\($0).json") }),
        .target(name: "BrowserPolicies", dependencies: ["Encodings", "JSON"]),
        // The confinement of the browsers that people use; for programs that start such a browser.
        .target(name: "BrowserWindows", dependencies: ["Files", "Processes", "UnixSocket"]),
        .target(
            name: "OAuth",
            dependencies: ["Encodings", "JSON", "Redaction", .asn1, .certificates, .crypto, .cryptoExtras]),
        .target(
            name: "MDMProtocol",
            dependencies: [
                "BrowserPolicies", "Encodings", "JSON", "Redaction", "WebPages", .asn1, .crypto, .cryptoExtras,
                .certificates,
            ]),

        // Persistence.
        .target(name: "Storage", dependencies: ["Encodings", "JSON", .crypto, .grdb]),
        // A target of its own, so that only a server with many nodes needs PostgreSQL's client library.
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "StoragePostgreSQL",
            dependencies: [
                "CLinux", "CPostgreSQL", "Encodings", "Processes", "Redaction", "Retries", "Storage", "UnixSocket",
            ]),

        // What a server counts, and how the counts are published. A target of its own, so that tests and benchmarks can
        // measure it.
        .target(
            name: "ServerMetrics", dependencies: ["Observability", "Storage", .coreMetrics, .httpTypes, .hummingbird]),

        // Contracts between processes, without I/O.
        .target(name: "BrokerProtocol", dependencies: ["Encodings", "JSON"]),
        .target(name: "AdminAPI", dependencies: ["JSON", "Redaction"]),
        // The header with which a load balancer names the client of a connection.
        .target(name: "ProxyProtocol"),
        .target(name: "PushProtocol", dependencies: ["JSON"]),
        .target(name: "Receipts", dependencies: ["JSON", "OAuth", .asn1, .certificates, .crypto]),

        // The messages between the broker's own programs: supervisor, agent, command line.
        .target(
            name: "BrokerIPC",
            dependencies: [
                "BrokerProtocol", "BrowserPolicies", "CLinux", "Encodings", "Files", "JSON", "Processes", "Redaction",
                "UnixSocket",
            ]),

        // The list of the places where data of a worker can remain. A target of its own, because comparing a device with
        // the list needs no network access and no cryptography.
        .target(name: "Leftovers", dependencies: ["BrokerIPC", "BrowserExtension"]),

        // Engines. They never import each other.
        .target(name: "MSAL", dependencies: ["BrokerProtocol", "JSON", "Redaction", "Retries", "UnixSocket"]),
        // For apps that take part in the hand-over: erasers, changes of worker, unsaved work.
        .target(name: "Handover", dependencies: ["BrokerProtocol", "MSAL"]),
        // For apps' own tests: a simulated device in the test's process, behind the real library.
        .target(
            name: "MSALTesting",
            dependencies: ["BrokerProtocol", "Encodings", "JSON", "MSAL", "Redaction", "UnixSocket"]),
        // The device's own keys, in a TPM or in files.
        .target(
            name: "DeviceKeyStore",
            dependencies: [
                "BrokerIPC", "CLinux", "Files", "OAuth", "Processes", "Redaction", "UnixSocket", .asn1,
                .certificates, .crypto, .cryptoExtras,
            ]),
        // What a device knows of itself: its join, its apps, the settings from the MDM, and where all of it is kept.
        .target(
            name: "DeviceSettings",
            dependencies: [
                "BrokerIPC", "BrokerProtocol", "BrowserPolicies", "CLinux", "DeviceKeyStore", "Files", "JSON",
                "MDMProtocol", "OAuth",
            ]),
        // HTTPS to the device's servers, and signed calls to the identity platform.
        .target(
            name: "DeviceHTTPS",
            dependencies: [
                "BrokerProtocol", "DeviceKeyStore", "DeviceSettings", "Files", "OAuth", "Redaction", .asn1,
                .asyncHTTPClient, .nioCore, .nioHTTP1, .nioSSL,
            ]),
        // The messages between the supervisor and the session process, and the limits of the connections that they share.
        .target(
            name: "SessionIPC",
            dependencies: ["BrokerIPC", "BrokerProtocol", "BrowserPolicies", "DeviceSettings", "Processes"]),
        // The device's MDM client and its push channel.
        .target(
            name: "MDMClient",
            dependencies: [
                "BrokerIPC", "BrokerProtocol", "BrowserPolicies", "CLinux", "DeviceHTTPS", "DeviceKeyStore",
                "DeviceSettings", "Encodings", "Files", "MDMProtocol", "OAuth", "Processes", "PushProtocol",
                "Redaction",
                "Retries", .asn1, .certificates, .crypto, .logging, .serviceLifecycle,
            ]),
        // The session process, which serves the apps of one epoch and ends with it.
        .target(
            name: "BrokerSession",
            dependencies: [
                "BrokerIPC", "BrokerProtocol", "BrowserPolicies", "CLinux", "DeviceHTTPS", "DeviceKeyStore",
                "DeviceSettings", "Files", "JSON", "MDMProtocol", "OAuth", "Processes", "Redaction", "SessionIPC",
                "UnixSocket", "WebPages", .asn1, .certificates, .crypto, .cryptoExtras, .logging, .nioCore, .nioHTTP1,
                .nioPosix,
            ], resources: languages.map { .embedInCode("Pages/Texts/\($0).json") }),
        // The supervisor: the session machine, the clean-up and its receipt. It never holds a worker's token.
        .target(
            name: "BrokerSupervisor",
            dependencies: [
                "BrokerIPC", "BrokerProtocol", "BrowserPolicies", "CLinux", "DeviceHTTPS", "DeviceKeyStore",
                "DeviceSettings", "Files", "JSON", "Leftovers", "MDMClient", "OAuth", "Observability", "Processes",
                "Receipts", "Redaction", "Retries", "SessionIPC", "UnixSocket", .asn1, .certificates, .crypto, .logging,
                .serviceLifecycle,
            ]),
        // The code of `baton-agent`, without network access.
        .target(
            name: "BrokerAgent",
            dependencies: [
                "BrokerIPC", "BrokerProtocol", "BrowserExtension", "BrowserPolicies", "BrowserWindows", "CLinux",
                "Files", "JSON", "Observability", "Processes", "Retries", "UnixSocket", .logging,
            ]),
        // The extensions of the browsers' windows, their manifests and their packing; for programs that open windows.
        .target(
            name: "BrowserExtension", dependencies: ["Files", "JSON", .crypto],
            resources: ["worker.js", "window.js"].map { .embedInCode("Resources/\($0)") }),
        // The code of `baton-browser-host`, which asks the broker on behalf of the extension in the worker's browser.
        .target(
            name: "BrowserHost",
            dependencies: ["BrokerIPC", "BrokerProtocol", "Files", "JSON", "Processes", "Redaction", "UnixSocket"]),
        // The code of `baton-helper`, which runs as root: no network, no cryptography.
        .target(
            name: "BrokerHelper",
            dependencies: [
                "BrokerIPC", "BrokerProtocol", "CLinux", "Files", "JSON", "Processes", "UnixSocket", .logging,
            ]),
        // Compares what is on a device before and after a session; for `baton device audit`.
        .target(
            name: "DeviceAudit", dependencies: ["BrokerIPC", "Files", "JSON", "Leftovers", "Processes"]),
        // The worker's home screen: an app with a page on a loopback port; for `baton home`.
        .target(
            name: "HomeScreen",
            dependencies: [
                "BrokerIPC", "BrokerProtocol", "MDMProtocol", "Files", "JSON", "MSAL", "Processes", "UnixSocket",
                "WebPages", .httpTypes, .hummingbird, .hummingbirdCore, .logging, .nioCore, .nioPosix,
            ],
            resources: ["home.html", "home.css", "home.js"].map { .embedInCode("Resources/\($0)") }
                + languages.map { .embedInCode("Texts/\($0).json") }),
        // The server's side of the contract for administration, which the identity platform and device management share:
        // callers, routes, conditions, pages.
        .target(
            name: "AdminServer",
            dependencies: [
                "AdminAPI", "JSON", "Storage", .crypto, .httpTypes, .hummingbird, .logging, .nioCore,
            ]),
        .target(
            name: "IdentityPlatform",
            dependencies: [
                "AdminAPI", "AdminServer", "Encodings", "JSON", "OAuth", "Observability", "Receipts", "Redaction",
                "Storage",
                "WebPages", .asn1, .certificates, .coreMetrics, .crypto, .cryptoExtras, .httpTypes, .hummingbird,
                .logging, .nioCore, .nioSSL,
            ],
            resources: [.embedInCode("Pages/submit.js")] + languages.map { .embedInCode("Pages/Texts/\($0).json") }),
        .target(
            name: "MDMServer",
            dependencies: [
                "AdminAPI", "AdminServer", "Encodings", "MDMProtocol", "Redaction", "Storage", .asn1,
                .certificates, .crypto,
                .httpTypes, .hummingbird, .logging, .nioCore, .nioPosix, .nioSSL,
            ]),

        // Code for only one executable: access to the TPM, so that no other program loads its library.
        .target(name: "TPM", dependencies: ["CLinux", "CTSS", "DeviceKeyStore", "Files", "Redaction"]),

        // What the commands of `baton` and `baton-dev` share: output, failures, signals, calls to the server and the broker.
        .target(
            name: "CommandLineInterface",
            dependencies: [
                "AdminAPI", "BrokerIPC", "BrokerProtocol", "CLinux", "Encodings", "Files", "OAuth", "Processes",
                "Redaction", "UnixSocket", "WebPages",
                .argumentParser, .asyncHTTPClient, .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .unixSignals,
            ]),

        // Executables: they parse arguments, compose the parts and run them.
        .executableTarget(
            name: "baton",
            dependencies: [
                "AdminAPI", "BrokerAgent", "BrokerIPC", "BrokerProtocol", "BrokerSupervisor",
                "BrowserPolicies", "BrowserWindows", "CLinux", "CommandLineInterface", "DeviceAudit", "DeviceHTTPS",
                "DeviceKeyStore", "DeviceSettings", "Files", "HomeScreen", "JSON", "MDMProtocol", "MSAL", "OAuth",
                "Observability", "Processes",
                "Receipts", "Redaction", "UnixSocket", .argumentParser, .logging,
            ]),
        // For developers, in a clone of this repository: no package contains it.
        .executableTarget(
            name: "baton-dev",
            dependencies: [
                "AdminAPI", "BrokerIPC", "BrokerProtocol", "BrowserPolicies", "BrowserWindows",
                "CLinux", "CommandLineInterface", "Files", "MDMProtocol", "Processes", "Redaction", "UnixSocket",
                .argumentParser, .asn1, .certificates, .crypto,
            ]),
        .executableTarget(
            name: "baton-agent",
            dependencies: [
                "BrokerAgent", "BrokerIPC", "Files", "JSON", "Observability", "Processes", .argumentParser, .logging,
            ]),
        .executableTarget(
            name: "baton-browser-host", dependencies: ["BrokerIPC", "BrokerProtocol", "BrowserHost", "Processes"]),
        .executableTarget(
            name: "baton-helper",
            dependencies: [
                "BrokerHelper", "BrokerIPC", "Observability", "Processes", "UnixSocket", .argumentParser, .logging,
            ]),
        .executableTarget(
            name: "baton-server",
            dependencies: [
                "AdminAPI", "AdminServer", "IdentityPlatform", "JSON", "MDMServer", "OAuth", "Observability",
                "Processes", "ProxyProtocol", "PushProtocol", "Redaction", "ServerMetrics", "Storage",
                "StoragePostgreSQL",
                "UnixSocket", .argumentParser, .asn1, .certificates, .coreMetrics, .crypto, .httpTypes, .hummingbird,
                .hummingbirdCore, .hummingbirdTLS, .logging, .nioCore, .nioHTTP1, .nioSSL, .nioTLS, .serviceLifecycle,
                .unixSignals,
            ]),
        .executableTarget(
            name: "batond",
            dependencies: [
                "BrokerIPC", "BrokerProtocol", "BrokerSession", "BrokerSupervisor", "CWipedHeap", "DeviceHTTPS",
                "DeviceKeyStore", "DeviceSettings", "Files", "JSON", "MDMClient", "Observability", "Processes",
                "SessionIPC", "TPM", "UnixSocket", .argumentParser, .logging, .serviceLifecycle, .unixSignals,
            ],
            // The dynamic linker writes to every page that has relocations, in both processes. Packed relocations need
            // far fewer pages.
            linkerSettings: [.unsafeFlags(["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"])]),

        // Tests.
        .target(
            name: "TestSupport",
            dependencies: [
                "BrokerIPC", "BrokerProtocol", "CLinux", "Encodings", "Processes", "UnixSocket",
                .httpTypes, .hummingbird, .logging, .nioCore, .nioEmbedded, .subprocess,
            ],
            path: "Tests/TestSupport"),
        .target(name: "FileRecorder", path: "Tests/FileRecorder"),
        .target(
            name: "StorageTestSupport",
            dependencies: ["CPostgreSQL", "Processes", "Storage", "StoragePostgreSQL", "TestSupport"],
            path: "Tests/StorageTestSupport"),
        // The search for traces. Its program reads the memory of processes, so it is not installed on devices.
        .target(name: "CInspection", path: "Tests/Canary/CInspection", linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "TraceSearch", dependencies: ["CInspection", "CLinux", "UnixSocket"], path: "Tests/Canary/TraceSearch"
        ),
        .executableTarget(
            name: "canary", dependencies: ["Processes", "TraceSearch", "UnixSocket", .argumentParser],
            path: "Tests/Canary/Program"),
        .testTarget(name: "EncodingsTests", dependencies: ["Encodings"]),
        .testTarget(name: "RetriesTests", dependencies: ["Retries"]),
        .testTarget(name: "RedactionTests", dependencies: ["CLinux", "Redaction"]),
        .testTarget(name: "JSONTests", dependencies: ["JSON"]),
        .testTarget(name: "WebPagesTests", dependencies: ["TestSupport", "WebPages"]),
        .testTarget(name: "UnixSocketTests", dependencies: ["UnixSocket"]),
        .testTarget(name: "FilesTests", dependencies: ["Files"]),
        .testTarget(name: "ProcessesTests", dependencies: ["Processes", "Redaction", "TestSupport", "UnixSocket"]),
        .testTarget(name: "OAuthTests", dependencies: ["JSON", "OAuth", "Redaction", .crypto, .cryptoExtras]),
        .testTarget(
            name: "MDMProtocolTests",
            dependencies: [
                "BrowserPolicies", "MDMProtocol", "JSON", "Redaction", "TestSupport", "WebPages", .asn1, .certificates,
                .crypto, .cryptoExtras, .subprocess,
            ]),
        .testTarget(
            name: "TraceSearchTests", dependencies: ["CInspection", "TestSupport", "TraceSearch", "canary"]),
        .testTarget(
            name: "StorageTests",
            dependencies: ["Processes", "Storage", "StoragePostgreSQL", "TestSupport", "UnixSocket"]),
        .testTarget(
            name: "AdminAPITests",
            dependencies: ["AdminAPI", "BrokerIPC", "BrokerProtocol", "JSON", "Redaction", "TestSupport"]),
        .testTarget(name: "ProxyProtocolTests", dependencies: ["ProxyProtocol"]),
        .testTarget(name: "PushProtocolTests", dependencies: ["PushProtocol"]),
        .testTarget(name: "ObservabilityTests", dependencies: ["JSON", "Observability", .logging]),
        .testTarget(
            name: "ServerMetricsTests",
            dependencies: ["Observability", "ServerMetrics", "Storage", .coreMetrics, .httpTypes, .hummingbird]),
        .testTarget(
            name: "ReceiptsTests", dependencies: ["OAuth", "Receipts", .asn1, .certificates, .crypto, .cryptoExtras]),
        .testTarget(name: "BrokerProtocolTests", dependencies: ["BrokerProtocol", "JSON", "Redaction"]),
        .testTarget(
            name: "BrowserExtensionTests",
            dependencies: ["BrowserExtension", "Files", "TestSupport", .crypto, .subprocess]),
        .testTarget(name: "BrowserHostTests", dependencies: ["BrowserHost", "JSON", "TestSupport", "UnixSocket"]),
        .testTarget(
            name: "BrowserWindowsTests",
            dependencies: ["BrowserPolicies", "BrowserWindows", "TestSupport", "UnixSocket", .subprocess]),
        .testTarget(name: "BrowserPoliciesTests", dependencies: ["BrowserPolicies", "JSON"]),
        .testTarget(
            name: "BrokerAgentTests",
            dependencies: [
                "BrokerAgent", "BrokerIPC", "BrokerProtocol", "BrowserPolicies", "Files", "JSON", "Processes",
                "TestSupport",
            ]),
        .testTarget(
            name: "HomeScreenTests",
            dependencies: [
                "BrokerProtocol", "MDMProtocol", "Files", "HomeScreen", "JSON", "Processes", "TestSupport",
                "UnixSocket", "WebPages", .hummingbird, .logging,
            ]),
        .testTarget(
            name: "BrokerHelperTests",
            dependencies: [
                "BrokerHelper", "BrokerIPC", "BrokerProtocol", "Files", "Processes", "TestSupport", "UnixSocket",
                "baton-helper",
            ]),
        .testTarget(
            name: "DeviceAuditTests",
            dependencies: ["DeviceAudit", "Files", "JSON", "Leftovers", "Processes", "TestSupport"]),
        .testTarget(
            name: "BrokerTests",
            dependencies: [
                "BrokerIPC", "BrokerProtocol", "BrokerSession", "BrokerSupervisor", "BrowserPolicies", "DeviceHTTPS",
                "DeviceKeyStore", "DeviceSettings", "FileRecorder", "Files", "JSON", "Leftovers", "MDMClient",
                "MDMProtocol", "OAuth", "Processes", "PushProtocol", "Receipts", "Redaction", "SessionIPC",
                "TestSupport", "UnixSocket", "WebPages", .crypto,
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "TPMTests",
            dependencies: [
                "BrokerSession", "BrokerSupervisor", "DeviceKeyStore", "DeviceSettings", "Files", "OAuth", "Redaction",
                "TPM", "TestSupport", "UnixSocket", .crypto, .cryptoExtras,
            ]),
        .testTarget(
            name: "IdentityPlatformTests",
            dependencies: [
                "AdminAPI", "AdminServer", "IdentityPlatform", "JSON", "OAuth", "Receipts", "Redaction", "Storage",
                "StoragePostgreSQL", "StorageTestSupport", "TestSupport", "WebPages", .asn1, .certificates, .crypto,
                .cryptoExtras, .httpTypes, .hummingbird, .nioCore, .subprocess,
            ]),
        .testTarget(
            name: "MDMServerTests",
            dependencies: [
                "AdminAPI", "AdminServer", "BrokerIPC", "BrowserPolicies", "DeviceHTTPS", "DeviceKeyStore",
                "DeviceSettings", "Files",
                "MDMClient", "MDMProtocol", "MDMServer", "Processes", "Redaction", "Storage", "StoragePostgreSQL",
                "StorageTestSupport", "TestSupport", .asn1, .certificates, .crypto, .hummingbird, .hummingbirdTLS,
                .logging, .nioCore, .nioSSL, .subprocess,
            ]),
        .testTarget(
            name: "MSALTests",
            dependencies: ["BrokerProtocol", "JSON", "MSAL", "Redaction", "TestSupport", "UnixSocket"]),
        .testTarget(name: "MSALTestingTests", dependencies: ["MSAL", "MSALTesting"]),
        .testTarget(name: "HandoverTests", dependencies: ["BrokerProtocol", "Handover", "MSAL", "MSALTesting"]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "AdminAPI", "AdminServer", "BrokerIPC", "BrokerProtocol", "BrokerSession", "BrokerSupervisor",
                "BrowserExtension", "BrowserPolicies", "CommandLineInterface", "DeviceAudit", "DeviceHTTPS",
                "DeviceKeyStore", "DeviceSettings", "Files", "Handover", "IdentityPlatform", "JSON", "Leftovers",
                "MDMProtocol", "MDMServer", "MSAL", "OAuth", "Processes", "PushProtocol",
                "Redaction", "SessionIPC", "Storage", "StoragePostgreSQL", "StorageTestSupport", "TestSupport",
                "UnixSocket",
                "WebPages", "baton", "baton-agent", "baton-browser-host", "baton-dev", "baton-helper",
                "baton-server", "batond", "canary", .asn1, .certificates, .crypto,
                .cryptoExtras, .httpTypes, .hummingbird, .logging, .nioCore, .nioEmbedded, .nioHTTP1,
                .nioPosix, .nioSSL,
                .subprocess,
            ]),
    ]
)

// BATON_TSAN=1 keeps only the targets that ThreadSanitizer checks, and no other package: see scripts/stress/races.
if Context.environment["BATON_TSAN"] == "1" { package.keepWhatRaces() }

// BATON_FUZZ=1 adds a program that fuzzes the decoders of untrusted bytes: see scripts/stress/fuzz.
let isFuzzing = Context.environment["BATON_FUZZ"] == "1"
let fuzzed = [
    "BrokerIPC", "BrokerProtocol", "BrowserHost", "BrowserPolicies", "DeviceAudit", "MDMProtocol", "JSON", "OAuth",
    "ProxyProtocol", "Receipts", "Redaction", "Storage", "UnixSocket",
]
if isFuzzing {
    package.targets.append(
        .executableTarget(
            name: "fuzz", dependencies: fuzzed.map { .byName(name: $0) } + [.crypto], path: "Tests/Fuzz/Sources",
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
}

// BATON_BENCH=1 adds a benchmark program for each measured engine: see scripts/measure/servers,
// scripts/measure/device and scripts/measure/instructions.
if Context.environment["BATON_BENCH"] == "1" {
    package.targets.append(
        .executableTarget(
            name: "server-benchmark",
            dependencies: [
                "AdminServer", "MDMProtocol", "Encodings", "IdentityPlatform", "MDMServer", "OAuth", "Observability",
                "Redaction", "ServerMetrics", "Storage", "StoragePostgreSQL", "TestSupport",
                .argumentParser, .asn1, .certificates, .crypto, .cryptoExtras, .httpTypes, .hummingbird, .logging,
            ],
            path: "Benchmarks/Server"))
    package.targets.append(
        .executableTarget(
            name: "instruction-benchmark", dependencies: ["BrokerProtocol", "JSON", "MSAL", "Redaction", "UnixSocket"],
            path: "Benchmarks/Instructions"))
    package.targets.append(.target(name: "CRoundTrip", path: "Benchmarks/CRoundTrip"))
    package.targets.append(
        .executableTarget(
            name: "device-benchmark",
            dependencies: ["BrokerProtocol", "CRoundTrip", "MSAL", "Redaction", "UnixSocket", .argumentParser],
            path: "Benchmarks/Device"))
}

// The folders of tests with a file mutations.toml, which only scripts/mutations reads.
let mutated = [
    "BrokerAgentTests", "BrokerHelperTests", "BrokerProtocolTests", "BrokerTests", "BrokerTests/Session",
    "BrowserExtensionTests", "BrowserHostTests", "BrowserPoliciesTests", "BrowserWindowsTests", "DeviceAuditTests",
    "FilesTests", "HandoverTests", "HomeScreenTests", "IdentityPlatformTests", "IntegrationTests/Agent",
    "IntegrationTests/CommandLine", "IntegrationTests/Escape", "IntegrationTests/ForeignClients",
    "IntegrationTests/LiveBrowser", "IntegrationTests/LiveDevice", "IntegrationTests/LiveFaults",
    "IntegrationTests/LiveOffline", "IntegrationTests/LoadBalancer", "IntegrationTests/Neighbour",
    "IntegrationTests/NodeFaults", "IntegrationTests/Server", "JSONTests", "MDMServerTests", "MSALTests", "OAuthTests",
    "ProcessesTests", "ReceiptsTests", "RedactionTests", "ServerMetricsTests", "StorageTests", "TPMTests",
    "UnixSocketTests", "WebPagesTests",
]
for folder in mutated {
    let file = "\(folder)/mutations.toml".split(separator: "/", maxSplits: 1)
    package.targets.first { $0.name == file[0] }?.exclude.append(String(file[1]))
}

// Without the trait, the modules of other packages are missing. TraitCheck reports that first.
for target in package.targets where target.dependencies.contains(where: { $0.ownName == nil }) {
    target.dependencies.append("TraitCheck")
}

for target in package.targets
where target.type != .system
    && !["CInspection", "CLinux", "CRoundTrip", "CWipedHeap", "FileRecorder", "RaceDetection"].contains(target.name)
{
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .treatWarning("DeprecatedDeclaration", as: .warning),
    ]
    // It searches gigabytes byte by byte, so it is optimised in every build.
    if target.name == "TraceSearch" { target.swiftSettings?.append(.unsafeFlags(["-O"])) }
    // Coverage guides the fuzzer. Optimised code has the same safety checks and is ten times as fast.
    if isFuzzing, fuzzed.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-O", "-sanitize=fuzzer"]))
    }
}

extension Package {
    /// Keeps only the code that threads share: MSAL, its dependencies and the device's session machine, with their
    /// tests.
    func keepWhatRaces() {
        let own = [
            "Broker", "BrokerIPC", "BrokerProtocol", "BrokerSupervisor", "CLinux", "DeviceSettings",
            "Encodings", "Files", "JSON", "MSAL", "Processes", "Redaction", "Retries", "SessionIPC", "TestSupport",
            "UnixSocket",
        ]
        targets = targets.filter { own.contains($0.name.replacing(/Tests$/, with: "")) }
        for target in targets {
            target.dependencies = target.dependencies.filter { own.contains($0.ownName ?? "") }
            if target.isTest { target.dependencies.append("RaceDetection") }
            if target.name == "BrokerSupervisor" {
                target.sources =
                    ["Session"] + ["AppProcessRecord", "DataOrder", "EraserProcesses"].map { "SignOut/\($0).swift" }
            }
            if target.name == "BrokerIPC" { target.sources = ["Agent/AppData.swift"] }
            if target.name == "BrokerTests" { target.sources = ["Session"] }
            if target.name == "DeviceSettings" {
                target.sources = [
                    "Device/SessionStage.swift", "Device/SignOutTrigger.swift", "SessionPolicy/SessionTimeouts.swift",
                ]
            }
            if target.name == "SessionIPC" { target.sources = ["Messages/SignInRefusal.swift"] }
            if target.name == "TestSupport" { target.sources = ["Processes"] }
            // Starting programs does not concern thread safety.
            if target.name == "ProcessesTests" { target.sources = ["MailboxTests.swift"] }
        }
        targets.append(.target(name: "RaceDetection", path: "Tests/RaceDetection"))
        targets.append(.testTarget(name: "RaceDetectionTests", dependencies: ["RaceDetection"]))
        dependencies = []
        products = []
    }
}

extension Target.Dependency {
    /// The name of a target in this package; nil for a product of another package.
    var ownName: String? {
        guard case .byNameItem(let name, _) = self else { return nil }
        return name
    }

    /// A product of another package, for the programs and the tests. Packages that depend only on this package's
    /// libraries neither download nor build it.
    private static func programs(_ name: String, of package: String) -> Self {
        .product(name: name, package: package, condition: .when(traits: ["Programs"]))
    }

    static var argumentParser: Self { .programs("ArgumentParser", of: "swift-argument-parser") }
    static var asn1: Self { .programs("SwiftASN1", of: "swift-asn1") }
    static var asyncHTTPClient: Self { .programs("AsyncHTTPClient", of: "async-http-client") }
    static var certificates: Self { .programs("X509", of: "swift-certificates") }
    static var coreMetrics: Self { .programs("CoreMetrics", of: "swift-metrics") }
    static var crypto: Self { .programs("Crypto", of: "swift-crypto") }
    static var cryptoExtras: Self { .programs("CryptoExtras", of: "swift-crypto") }
    static var grdb: Self { .programs("GRDB", of: "GRDB.swift") }
    static var httpTypes: Self { .programs("HTTPTypes", of: "swift-http-types") }
    static var hummingbird: Self { .programs("Hummingbird", of: "hummingbird") }
    static var hummingbirdCore: Self { .programs("HummingbirdCore", of: "hummingbird") }
    static var hummingbirdTLS: Self { .programs("HummingbirdTLS", of: "hummingbird") }
    static var logging: Self { .programs("Logging", of: "swift-log") }
    static var nioCore: Self { .programs("NIOCore", of: "swift-nio") }
    static var nioEmbedded: Self { .programs("NIOEmbedded", of: "swift-nio") }
    static var nioHTTP1: Self { .programs("NIOHTTP1", of: "swift-nio") }
    static var nioPosix: Self { .programs("NIOPosix", of: "swift-nio") }
    static var nioSSL: Self { .programs("NIOSSL", of: "swift-nio-ssl") }
    static var nioTLS: Self { .programs("NIOTLS", of: "swift-nio") }
    static var serviceLifecycle: Self { .programs("ServiceLifecycle", of: "swift-service-lifecycle") }
    static var unixSignals: Self { .programs("UnixSignals", of: "swift-service-lifecycle") }
    static var subprocess: Self { .programs("Subprocess", of: "swift-subprocess") }
}
