import FHIR
import Foundation
import HealthData
import TestSupport
import Testing

@testable import AppleHealthExport

/// The result of converting an export.
struct Outcome {
    var made: [HealthObservation] = []
    var specials: [HealthSpecial] = []
    var devices: [HealthDevice] = []
    var importReport = HealthImportReport()

    /// Everything that leaves the converter, in its written form.
    var text: String {
        made.map { $0.observation.json.text() + "\n" }.joined()
            + specials.map { $0.resource.text() + "\n" }.joined()
            + devices.map { $0.resource(subject: "p1").text() + "\n" }.joined() + importReport.json.text()
    }
    var observations: [Observation] { made.map(\.observation) }
    var values: [String?] { observations.map { $0.value?.json["value"]?.number?.text } }

    func skipped(_ type: String, _ reason: SkipReason) -> Int { importReport.skipped[type]?[reason] ?? 0 }
}

/// Writes exports for tests and converts them.
enum Exports {
    static let watchDevice =
        "&lt;&lt;HKDevice: 0x282a45810&gt;, name:Apple Watch, manufacturer:Apple, model:Watch, hardware:Watch2,4, software:4.3.1&gt;"

    static func record(
        _ type: String = "HKQuantityTypeIdentifierHeartRate", _ value: String = "72", unit: String = "count/min",
        start: String = "2018-09-10 02:28:55 -0700", end: String? = nil, source: String = "Apple Watch",
        device: String = watchDevice, metadata: [(String, String)] = []
    ) -> String {
        let head = """
            <Record type="\(type)" sourceName="\(source)" sourceVersion="4.3.1" device="\(device)" unit="\(unit)" \
            creationDate="2018-09-10 02:47:35 -0700" startDate="\(start)" endDate="\(end ?? start)" value="\(value)"
            """
        guard !metadata.isEmpty else { return head + "/>" }
        return head + ">" + metadata.map { "<MetadataEntry key=\"\($0.0)\" value=\"\($0.1)\"/>" }.joined() + "</Record>"
    }

    static func root(_ body: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <HealthData locale="en_US">
         <ExportDate value="2019-07-19 10:36:11 -0700"/>
         \(body)
        </HealthData>
        """
    }

    static func convert(_ body: String, selection: HealthSelection = HealthSelection(subject: "p1")) throws -> Outcome {
        try convert(bytes: Array(root(body).utf8), selection: selection)
    }

    /// Converts a file with the bytes.
    static func convert(
        bytes: [UInt8], selection: HealthSelection = HealthSelection(subject: "p1"), known: Set<SampleFingerprint> = []
    ) throws -> Outcome {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let file = temporary.url.appendingPathComponent("export.xml")
        try Data(bytes).write(to: file)
        return try convert(path: file.path, selection: selection, known: known)
    }

    static func convert(
        path: String, selection: HealthSelection = HealthSelection(subject: "p1"), known: Set<SampleFingerprint> = []
    ) throws -> Outcome {
        var outcome = Outcome()
        outcome.importReport = try HealthExport(path: path).convert(
            selection,
            into: HealthSink(
                isKnown: { known.contains($0) }, special: { outcome.specials.append($0) },
                device: { outcome.devices.append($0) }, observation: { outcome.made.append($0) }))
        let otherResources = outcome.importReport.otherResources.values.reduce(0) { $0 + ($1["converted"] ?? 0) }
        #expect(outcome.importReport.converted + otherResources == outcome.made.count + outcome.specials.count)
        return outcome
    }

    /// Converts the bytes in pieces of the given sizes.
    static func convert(bytes: [UInt8], pieces: () -> Int) throws -> Outcome {
        var outcome = Outcome()
        let pieces = PieceBytes(bytes, sizes: Array(repeating: 0, count: 64).map { _ in pieces() })
        let selection = HealthSelection(subject: "p1")
        let conversion = HealthConversion(
            selection,
            HealthSink(
                special: { outcome.specials.append($0) }, device: { outcome.devices.append($0) },
                observation: { outcome.made.append($0) }))
        let stream = ExportStream(pieces, selection, isRecognised: true)
        while try stream.read(samples: pieces.isSmall ? 1 : 4096) { try conversion.take(stream.takeBatch()) }
        try conversion.take(stream.takeBatch())
        outcome.importReport = try conversion.finish(with: stream.importReport)
        return outcome
    }

    /// Returns a new empty folder.
    static func folder() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("export-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    /// The project's folder.
    static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    static func python(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}

/// Delivers bytes in pieces.
private final class PieceBytes: ByteSource {
    private var rest: ArraySlice<UInt8>
    private let sizes: [Int]
    private var turn = 0
    let damage: (code: String, message: String)? = nil
    var isSmall: Bool { sizes[0] < 10 }

    init(_ bytes: [UInt8], sizes: [Int]) {
        rest = bytes[...]
        self.sizes = sizes
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
        let count = min(rest.count, buffer.count, sizes[turn % sizes.count])
        turn += 1
        buffer.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }
}

/// Delivers a text at once.
final class TextBytes: ByteSource {
    private var rest: ArraySlice<UInt8>
    let damage: (code: String, message: String)? = nil

    init(_ text: String) { rest = Array(text.utf8)[...] }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
        let count = min(rest.count, buffer.count)
        buffer.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }
}
