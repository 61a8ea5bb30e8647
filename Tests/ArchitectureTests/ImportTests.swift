import Foundation
import Testing

/// What a module may import of ours. A new edge is a decision; it is made here first.
private let allowed: [String: Set<String>] = [
    "FHIR": [],
    "FHIRVersions": ["FHIR"],
    "Wire": [],
    "Questionnaires": ["FHIR"],
    "InformedConsent": ["FHIR"],
    "HealthData": ["FHIR"],
    "Outbox": ["Wire"],
    "AppleHealthExport": ["HealthData", "FHIR", "CXML2", "CArchive"],
    "ConsentDocument": ["InformedConsent", "CHaru"],
    "Storage": [],
    "Trust": ["Storage"],
    "Records": ["Storage", "Trust", "FHIR"],
    "Warehouse": ["Storage", "Records", "FHIR", "Questionnaires", "HealthData"],
    "Receiver": ["Wire", "Storage", "Trust", "COpenSSL"],
    "Consumer": [
        "Wire", "Storage", "Trust", "Records", "Warehouse", "InformedConsent", "FHIR", "FHIRVersions", "COpenSSL",
    ],
    "TributaryServer": [
        "FHIR", "Wire", "InformedConsent", "Storage", "Trust", "Records", "Warehouse", "Receiver", "Consumer",
    ],
]

/// Where each module stands.
private let folders: [String: String] = [
    "FHIR": "Language/FHIR", "FHIRVersions": "Language/FHIRVersions", "Wire": "Wire",
    "Questionnaires": "Device/Questionnaires", "InformedConsent": "Device/InformedConsent",
    "HealthData": "Device/HealthData", "Outbox": "Device/Outbox", "AppleHealthExport": "Import/AppleHealthExport",
    "ConsentDocument": "Import/ConsentDocument", "Storage": "Server/Storage", "Trust": "Server/Trust",
    "Records": "Server/Records", "Warehouse": "Server/Warehouse", "Receiver": "Server/Receiver",
    "Consumer": "Server/Consumer", "TributaryServer": "Tools/TributaryServer", "tributary": "Tools/tributary",
]

private let system: Set<String> = ["CPQ", "CXML2", "CArchive", "CHaru", "CQREncode", "COpenSSL"]
private let ours = system.union(folders.keys)

private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
private let sources = root.appendingPathComponent("Sources")

/// The modules that a source text imports.
private func imports(in text: String) -> Set<String> {
    var found: Set<String> = []
    for line in text.split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        guard let index = words.firstIndex(of: "import"), words[..<index].allSatisfy(isModifier) else { continue }
        var name = words.dropFirst(index + 1)
        // `import struct Foundation.Date` names what it takes first.
        if let kind = name.first,
            ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"].contains(kind)
        {
            name = name.dropFirst()
        }
        if let module = name.first?.split(separator: ".").first { found.insert(String(module)) }
    }
    return found
}

private func isModifier(_ word: String) -> Bool {
    word.hasPrefix("@") || ["public", "internal", "package", "private", "fileprivate"].contains(word)
}

private func files(_ folder: String) throws -> [URL] {
    let url = sources.appendingPathComponent(folder)
    let names = try #require(FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil))
    return names.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
}

@Suite struct ImportTests {
    @Test(arguments: allowed.keys.sorted())
    func aModuleImportsOnlyWhatTheDesignAllows(module: String) throws {
        let folder = try #require(folders[module])
        let sources = try files(folder)
        #expect(!sources.isEmpty)
        for file in sources {
            let found = imports(in: try String(contentsOf: file, encoding: .utf8)).intersection(ours)
            let forbidden = found.subtracting(allowed[module] ?? []).subtracting([module])
            #expect(forbidden.isEmpty, "\(file.lastPathComponent) imports \(forbidden.sorted())")
        }
    }

    @Test func theReaderSeesEveryWayToImport() {
        let text = """
            import FHIR
            @testable import Wire
            public import struct Storage.SQLRow
            internal import Trust
            // import Records
            let text = "import Consumer"
            """
        #expect(imports(in: text) == ["FHIR", "Wire", "Storage", "Trust"])
    }

    @Test func everySourceStandsInAModulesFolder() throws {
        for file in try files("") {
            let path = String(file.path.dropFirst(sources.path.count + 1))
            let home = folders.values.contains { path.hasPrefix($0 + "/") }
            #expect(home, "\(path) stands in no module's folder")
        }
    }

    @Test func theManifestDeclaresEveryModule() throws {
        let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        for (module, folder) in folders {
            #expect(manifest.contains("path: \"Sources/\(folder)\""), "\(module) is not declared at \(folder)")
        }
    }

    @Test(arguments: [
        ("@unchecked Sendable", "locks by hand"), ("try!", "a crash"),
        ("Bundle.module", "dies when the binary is moved"),
        ("import FoundationXML", "crashes on untrusted documents"), ("fatalError(", "a crash"), ("TODO", "unfinished"),
    ])
    func nothingForbiddenStandsInTheSources(text: String, why: String) throws {
        for file in try files("") {
            let content = try String(contentsOf: file, encoding: .utf8)
            #expect(!content.contains(text), "\(file.lastPathComponent) has \(text): \(why)")
        }
    }

    @Test func filesStaySmallEnoughToBeRead() throws {
        for file in try files("") {
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            // Generated tables are data, not text to read.
            guard !file.lastPathComponent.contains("Table") else { continue }
            #expect(lines.count <= 500, "\(file.lastPathComponent) has \(lines.count) lines")
        }
    }
}
