import FHIR
import Foundation
import HealthData
import TestSupport
import Testing

@testable import AppleHealthExport

@Suite struct FilesRandomTests {
    /// Feeds the bytes to each reader. Every problem has a name, so the test checks only that the readers end.
    static func readAll(_ bytes: [UInt8], pieces: Int) {
        var electrocardiogram = ElectrocardiogramReader()
        Pieces.feed(bytes, size: pieces) { electrocardiogram.feed($0) }
        if case .success(let file) = electrocardiogram.finish() {
            #expect(file.electrocardiogram.voltages.series.count > 0)
            #expect(JSON.isReadable(file.electrocardiogram.observation(subject: "p1").json))
        }
        var route = RouteReader()
        Pieces.feed(bytes, size: pieces) { route.feed($0) }
        if case .success(let file) = route.finish() {
            #expect(Set([file.track.latitudes, file.track.speeds, file.track.offsets].map(\.count)).count == 1)
        }
        var record = ClinicalRecordReader()
        Pieces.feed(bytes, size: pieces) { record.feed($0) }
        if case .success(let file) = record.finish() {
            #expect(JSON.isReadable(file.record.resource(subject: "p1", device: nil, extensions: [])))
        }
    }

    @Test func randomBytesAndFilesWithRandomChangesNeverHarmTheReaders() {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        let files = [
            FilesElectrocardiogramTests.english, FilesElectrocardiogramTests.german, FilesElectrocardiogramTests.french,
            FilesRouteTests.file(FilesRouteTests.points.joined()),
            #"{"resourceType":"Condition","id":"c","subject":{"reference":"Patient/1"},"code":{"text":"x"}}"#,
        ].map { Array($0.utf8) }
        let marks = Array("<>\"'/=,;.-+\n\r {}[]:E0".utf8) + [0, 0xFF, 0xC3, 0xEF]
        for round in 0..<400 {
            var bytes: [UInt8]
            if round % 8 == 0 {
                bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in .random(in: 0...255, using: &random) }
            } else {
                bytes = files[Int.random(in: 0..<files.count, using: &random)]
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let index = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[index] = .random(in: 0...255, using: &random)
                    case 1: bytes[index] = marks[Int.random(in: 0..<marks.count, using: &random)]
                    case 2: bytes.remove(at: index)
                    default: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 20)], at: index)
                    }
                    if bytes.isEmpty { bytes = [0x20] }
                }
            }
            Self.readAll(bytes, pieces: Int.random(in: 1...64, using: &random))
        }
    }

    @Test func problemsAndNotesHaveUniqueCodesAndMessages() {
        #expect(Set(ExportFileProblem.allCases.map(\.message)).count == ExportFileProblem.allCases.count)
        let codes = ExportFileProblem.allCases.map(\.code) + ExportFileNote.allCases.map(\.rawValue)
        #expect(codes.allSatisfy { $0.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D } })
        #expect(Set(codes).count == codes.count)
    }
}

extension JSON {
    /// Whether the text of the value is JSON that is read as the same value.
    static func isReadable(_ value: JSON) -> Bool { (try? JSON(parsing: value.text())) == value }
}
