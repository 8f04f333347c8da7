// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "FirstlineWorker",
    products: [.executable(name: "firstline-worker", targets: ["firstline-worker"])],
    dependencies: [.package(name: "baton", path: "../..")],
    targets: [
        // HTTPS for the call to Graph: Debian's libcurl behind one function.
        .target(name: "CurlShim", linkerSettings: [.linkedLibrary("curl")]),
        // The app's decisions: pure code without MSAL, files or a terminal.
        .target(name: "WorkerState"),
        .executableTarget(
            name: "firstline-worker",
            dependencies: ["CurlShim", "WorkerState", .product(name: "MSAL", package: "baton")],
            path: "Sources/FirstlineWorker"),
        .testTarget(name: "WorkerStateTests", dependencies: ["WorkerState"]),
        // The app with MSAL, on a simulated device.
        .testTarget(
            name: "FirstlineWorkerTests",
            dependencies: ["firstline-worker", .product(name: "MSALTesting", package: "baton")]),
    ]
)

for target in package.targets where target.name != "CurlShim" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
    ]
}
