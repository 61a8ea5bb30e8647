import Foundation
import Testing

/// The package of the fuzzers, which takes sources of the product by links and is not built with it.
@Suite struct FuzzerTests {
    /// A target of sources of the product.
    private struct Target {
        let name: String
        let dependencies: Set<String>
        /// The folder in this package.
        let folder: String
        /// The files and folders that it takes; all if empty.
        let sources: [String]

        init?(_ call: String, isLanguage: Bool) {
            let strings = Manifest.strings(in: call)
            guard let name = strings.first, !name.contains("\\") else { return nil }
            let path = Manifest.list("path:", in: call).flatMap { Manifest.strings(in: $0).first }
            guard let folder = isLanguage ? "Language/\(name)" : path, !folder.hasPrefix("System/"),
                !folder.hasPrefix("Sources/")
            else { return nil }
            self.name = name
            self.folder = "Sources/" + folder
            dependencies = Set(Manifest.strings(in: Manifest.list("[", in: call) ?? ""))
            sources = Manifest.strings(in: Manifest.list("sources:", in: call) ?? "")
        }

        func takes(_ path: String) -> Bool {
            sources.isEmpty || sources.contains { path == "\(folder)/\($0)" || path.hasPrefix("\(folder)/\($0)/") }
        }
    }

    private let package = PackageFolder.ours
    private let names = ModuleRules().plan.names

    private func targets() throws -> [Target] {
        let text = try String(
            contentsOf: package.root.appendingPathComponent("Fuzzing/Package.swift"), encoding: .utf8)
        return Manifest.calls(of: [".target("], in: text).compactMap { Target($0, isLanguage: false) }
            + Manifest.calls(of: ["language("], in: text).compactMap { Target($0, isLanguage: true) }
    }

    @Test func oneFileStartsTheFuzzers() throws {
        let files = try package.swiftFiles(below: "Fuzzing/Sources")
        let starting = files.filter { $0.text.contains("LLVMFuzzerRunDriver") }.map(\.path)
        #expect(starting == ["Fuzzing/Sources/FuzzDriver/FuzzDriver.swift"])
        #expect(files.count { SwiftCode($0.text).imports.contains { $0.module == "FuzzDriver" } } == 13)
    }

    @Test func theFuzzersHaveWhatTheirSourcesImport() throws {
        let targets = try targets()
        try #require(targets.count >= 10)
        for target in targets {
            let files = try package.swiftFiles(below: target.folder).filter { target.takes($0.path) }
            #expect(!files.isEmpty, "\(target.name) takes nothing")
            for file in files {
                let imported = Set(SwiftCode(file.text).imports.map(\.module))
                let missing = imported.intersection(names).subtracting(target.dependencies).subtracting([target.name])
                #expect(missing == [], "\(target.name) does not have what \(file.path) imports")
                #expect(imported.isDisjoint(with: Self.ofServers), "\(file.path) imports what no fuzzer has")
            }
        }
    }

    /// Modules of packages that the fuzzers do not depend on.
    private static let ofServers: Set<String> = [
        "GRDB", "GRDBSQLite", "Hummingbird", "HTTPTypes", "Logging", "NIOCore", "ServiceLifecycle",
    ]
}
