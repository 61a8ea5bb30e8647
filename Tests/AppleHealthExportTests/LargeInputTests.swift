import FHIR
import Foundation
import HealthData
import Testing

@testable import AppleHealthExport

/// Serialized, since these tests measure memory and need a lot of it.
@Suite(.serialized)
struct LargeInputTests {
    private let heartRate = "HKQuantityTypeIdentifierHeartRate"

    @Test func aValueOfMoreThanTenMegabytesIsCutAndTheFileReadsOn() throws {
        let giant = String(repeating: "x", count: 11 << 20)
        for quote in ["\"", "'"] {
            let metadata = "<MetadataEntry key=\"k\" value=\(quote)\(giant)\(quote)/>"
            let record = Exports.record(metadata: [("a", "b")]).replacingOccurrences(
                of: "</Record>", with: metadata + "</Record>")
            let outcome = try Exports.convert(record + Exports.record(heartRate, "73"))
            #expect(outcome.values == ["72", "73"] && outcome.importReport.filtered == ["cut-values": 1])
        }
    }

    /// In a process of its own, since concurrent tests need memory too. Code that holds all samples needs several times
    /// their size.
    @Test func memoryDoesNotGrowWithTheExport() async {
        await #expect(processExitsWith: .success) {
            let records = 100_000
            let source = EndlessBytes(records: records)
            let conversion = HealthConversion(HealthSelection(), isKnown: { _ in false }, emit: { _ in })
            let before = LargeInputTests.peakMemory
            let stream = ExportStream(source, HealthSelection(), isRecognised: true)
            while try stream.read(samples: 4096) { try conversion.take(stream.takeBatch()) }
            try conversion.take(stream.takeBatch())
            let importReport = try conversion.finish(with: stream.importReport)
            #expect(importReport.read == records && importReport.outcome == .complete)
            #expect(source.given > records * 300)
            let grown = LargeInputTests.peakMemory - before
            #expect(grown < source.given / 2, "\(grown) bytes of \(source.given)")
        }
    }

    /// The peak resident size in bytes; 0 if the system does not report it.
    private static var peakMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }
}

/// Generates an export while it is read. One in eight records is converted, since nearly all of a real export is of few
/// types.
private final class EndlessBytes: ByteSource {
    let damage: (code: String, message: String)? = nil
    private(set) var given = 0
    private var rest = Array("<HealthData>".utf8)[...]
    private var blocks: Int

    init(records: Int) { blocks = records / 100 }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
        if rest.isEmpty, blocks > 0 {
            blocks -= 1
            var text = ""
            for index in 0..<100 {
                let type =
                    index % 8 == 0 ? "HKQuantityTypeIdentifierHeartRate" : "HKQuantityTypeIdentifierAppleStandTime"
                text += Exports.record(
                    type, "\(blocks)", start: "2018-09-10 02:\(10 + index % 50):55 -0700", metadata: [("k", "v")])
            }
            rest = Array((text + (blocks == 0 ? "</HealthData>" : "")).utf8)[...]
        }
        let count = min(rest.count, buffer.count)
        buffer.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        given += count
        return count
    }
}
