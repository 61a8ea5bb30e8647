// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the libraries measured against are not dependencies of the product. Run by `make bench`.

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
        // simdjson, called through three C functions.
        .target(name: "CSimd", linkerSettings: [.linkedLibrary("simdjson")]),
        .executableTarget(
            name: "JSONSpeed", dependencies: ["CSimd", .product(name: "TributaryFHIR", package: "Tributary")]),
        // Against Foundation's JSONDecoder and JSONEncoder, with structs as an app declares them.
        .executableTarget(
            name: "DecoderSpeed", dependencies: [.product(name: "TributaryFHIR", package: "Tributary")]),
        // Against parsing alone.
        .executableTarget(
            name: "ValidationSpeed",
            dependencies: [
                .product(name: "TributaryFHIR", package: "Tributary"),
                .product(name: "TributaryFHIRValidation", package: "Tributary"),
            ]),
        // Ten expressions, each evaluated many times; run.py does the same in Python.
        .executableTarget(
            name: "FHIRPathSpeed",
            dependencies: [
                .product(name: "TributaryFHIR", package: "Tributary"),
                .product(name: "TributaryFHIRPath", package: "Tributary"),
            ]),
        // JMESPath and JSONPath, each expression many times; queries.py does the same in Python.
        .executableTarget(
            name: "QuerySpeed", dependencies: [.product(name: "TributaryJSONQuery", package: "Tributary")]),
        // Sessions and checks of long forms.
        .executableTarget(
            name: "FormSpeed",
            dependencies: [
                .product(name: "TributaryFHIR", package: "Tributary"),
                .product(name: "TributaryQuestionnaires", package: "Tributary"),
            ]),
        // The cost of the tables on first use.
        .executableTarget(
            name: "TableCost",
            dependencies: [
                .product(name: "TributaryFHIR", package: "Tributary"),
                .product(name: "TributaryFHIRValidation", package: "Tributary"),
                .product(name: "TributaryUCUM", package: "Tributary"),
            ]),
        // Leases and settles until the queue is empty; claim.py sends the same statements with pgbench.
        .executableTarget(name: "QueueSpeed", dependencies: [stores]),
        // Commits rows one by one; commits.py sends the same statements with pgbench.
        .executableTarget(name: "CommitSpeed", dependencies: [stores]),
        // Resources read by their ids, from two stores of the same resources.
        .executableTarget(name: "ReadingSpeed", dependencies: [stores]),
        // libxml2's push parser with empty handlers.
        .systemLibrary(name: "CBareXML", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .executableTarget(name: "BareXML", dependencies: ["CBareXML"]),
        // Inserts the rows of a loaded study with SQLite's own functions only.
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
