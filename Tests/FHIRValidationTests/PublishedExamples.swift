import Foundation
import Testing

/// HL7's package of definitions and examples, unpacked for a test.
struct PublishedExamples {
    /// The archive; nil where the published data are not there.
    static let archive: URL? = ProcessInfo.processInfo.environment["TRIBUTARY_CONFORMANCE"]
        .map { URL(fileURLWithPath: $0).appendingPathComponent("fhir-r4.tar.xz") }
        .flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fhir-\(UUID().uuidString)")

    init(_ members: [String] = ["fhir-r4/examples"]) throws {
        let archive = try #require(PublishedExamples.archive)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xJf", archive.path, "-C", folder.path] + members
        try tar.run()
        tar.waitUntilExit()
        try #require(tar.terminationStatus == 0)
    }

    func files() throws -> [URL] {
        let walk = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return walk.compactMap { $0 as? URL }.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
