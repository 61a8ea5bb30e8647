// swift-tools-version: 6.2
import PackageDescription

// A package of its own: what is measured against is no dependency of the product. Run by `make bench`.

/// The stores of the server.
let stores: Target.Dependency = .product(name: "ServerStores", package: "Tributary")

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "Tributary", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        // simdjson behind three C functions.
        .target(name: "CSimd", linkerSettings: [.linkedLibrary("simdjson")]),
        .executableTarget(
            name: "JSONSpeed", dependencies: ["CSimd", .product(name: "TributaryFHIR", package: "Tributary")]),
        // Against Foundation's JSONDecoder and JSONEncoder, with structs as an app would write them.
        .executableTarget(
            name: "DecoderSpeed", dependencies: [.product(name: "TributaryFHIR", package: "Tributary")]),
        // Against parsing alone.
        .executableTarget(
            name: "ValidationSpeed",
            dependencies: [
                .product(name: "TributaryFHIR", package: "Tributary"),
                .product(name: "TributaryFHIRValidation", package: "Tributary"),
            ]),
        // Ten expressions, each evaluated many times; run.py has the same in Python.
        .executableTarget(
            name: "FHIRPathSpeed",
            dependencies: [
                .product(name: "TributaryFHIR", package: "Tributary"),
                .product(name: "TributaryFHIRPath", package: "Tributary"),
            ]),
        // JMESPath and JSONPath, each expression many times; queries.py has the same in Python.
        .executableTarget(
            name: "QuerySpeed", dependencies: [.product(name: "TributaryJSONQuery", package: "Tributary")]),
        // What the tables cost when they are first asked for.
        .executableTarget(
            name: "TableCost",
            dependencies: [
                .product(name: "TributaryFHIR", package: "Tributary"),
                .product(name: "TributaryFHIRValidation", package: "Tributary"),
                .product(name: "TributaryUCUM", package: "Tributary"),
            ]),
        // The queue's leases and settlements, until nothing waits; claim.py has pgbench send the same statements.
        .executableTarget(name: "QueueSpeed", dependencies: [stores]),
        // Rows that are committed one by one; commits.py has pgbench send the same statements.
        .executableTarget(name: "CommitSpeed", dependencies: [stores]),
        // Resources read by their ids, from two stores of the same resources.
        .executableTarget(name: "ReadingSpeed", dependencies: [stores]),
        // libxml2's push parser with nothing behind it.
        .systemLibrary(name: "CBareXML", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .executableTarget(name: "BareXML", dependencies: ["CBareXML"]),
        // The rows of a loaded study inserted by SQLite's own functions, with nothing around.
        .executableTarget(name: "BareInserts", linkerSettings: [.linkedLibrary("sqlite3")]),
        // Posts prepared bodies over connections that stay open.
        .executableTarget(name: "Load"),
        // The receiver's HTTP server, answering each POST with its own body.
        .executableTarget(name: "Echo", dependencies: [.product(name: "Hummingbird", package: "hummingbird")]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11,
    cxxLanguageStandard: .cxx17
)
