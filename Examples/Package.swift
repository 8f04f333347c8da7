// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// The sample apps. They are one package, so that MSAL is built once and both use the same parts.
let package = Package(
    name: "Examples",
    products: [
        .executable(name: "firstline-worker", targets: ["firstline-worker"]),
        .executable(name: "ward-round", targets: ["ward-round"]),
    ],
    dependencies: [.package(name: "baton", path: "..")],
    targets: [
        // The parts that both apps share. Workers contains only value types.
        .target(name: "Workers", path: "Shared/Workers"),
        // HTTPS for the call to Graph: Debian's libcurl behind one function.
        .target(name: "CurlShim", path: "Shared/CurlShim", linkerSettings: [.linkedLibrary("curl")]),
        .target(
            name: "SampleParts",
            dependencies: [
                "CurlShim", "Workers", .product(name: "Handover", package: "baton"),
                .product(name: "MSAL", package: "baton"),
            ],
            path: "Shared/SampleParts"),

        // The app for the terminal. WorkerState makes its decisions: pure code without MSAL, files or a terminal.
        .target(name: "WorkerState", dependencies: ["Workers"], path: "FirstlineWorker/Sources/WorkerState"),
        .executableTarget(
            name: "firstline-worker",
            dependencies: ["SampleParts", "WorkerState", "Workers", .product(name: "MSAL", package: "baton")],
            path: "FirstlineWorker/Sources/FirstlineWorker"),
        .testTarget(
            name: "WorkerStateTests", dependencies: ["WorkerState", "Workers"],
            path: "FirstlineWorker/Tests/WorkerStateTests"),
        .testTarget(
            name: "FirstlineWorkerTests",
            dependencies: ["SampleParts", "firstline-worker", .product(name: "MSALTesting", package: "baton")],
            path: "FirstlineWorker/Tests/FirstlineWorkerTests"),

        // The app with a window. WardRoundState makes its decisions, likewise in pure code.
        .systemLibrary(
            name: "CGTK", path: "WardRound/Sources/CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .target(name: "WardRoundState", dependencies: ["Workers"], path: "WardRound/Sources/WardRoundState"),
        .executableTarget(
            name: "ward-round",
            dependencies: [
                "CGTK", "SampleParts", "WardRoundState", "Workers", .product(name: "MSAL", package: "baton"),
            ],
            path: "WardRound/Sources/WardRound"),
        .testTarget(
            name: "WardRoundStateTests", dependencies: ["WardRoundState", "Workers"],
            path: "WardRound/Tests/WardRoundStateTests"),
        // Tests of the apps with MSAL, on a simulated device.
        .testTarget(
            name: "WardRoundTests",
            dependencies: [
                "SampleParts", "WardRoundState", "Workers", "ward-round",
                .product(name: "MSALTesting", package: "baton"),
            ],
            path: "WardRound/Tests/WardRoundTests"),
    ]
)

for target in package.targets where target.name != "CurlShim" && target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
    ]
}
