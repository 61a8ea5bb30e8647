import FHIR
import Foundation
import HealthData
import TestSupport
import Testing

@testable import AppleHealthExport

@Suite struct FilesRandomTests {
    /// What comes of the bytes in each reader; every problem has a name, so there is nothing to check but that it ends.
    static func readAll(_ bytes: [UInt8], pieces: Int) {
        var electrocardiogram = ElectrocardiogramReader()
        Pieces.feed(bytes, pieces) { electrocardiogram.feed($0) }
        if case .success(let file) = electrocardiogram.finish() {
            #expect(file.electrocardiogram.voltages.series.count > 0)
            #expect(JSON.isReadable(file.electrocardiogram.observation(subject: "p1").json))
        }
        var route = RouteReader()
        Pieces.feed(bytes, pieces) { route.feed($0) }
        if case .success(let file) = route.finish() {
            #expect(Set([file.track.latitudes, file.track.speeds, file.track.offsets].map(\.count)).count == 1)
        }
        var record = ClinicalRecordReader()
        Pieces.feed(bytes, pieces) { record.feed($0) }
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
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[place] = .random(in: 0...255, using: &random)
                    case 1: bytes[place] = marks[Int.random(in: 0..<marks.count, using: &random)]
                    case 2: bytes.remove(at: place)
                    default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 20)], at: place)
                    }
                    if bytes.isEmpty { bytes = [0x20] }
                }
            }
            Self.readAll(bytes, pieces: Int.random(in: 1...64, using: &random))
        }
    }

    @Test func everyProblemAndEveryNoteHasACodeAndASentenceOfItsOwn() {
        #expect(Set(ExportFileProblem.allCases.map(\.message)).count == ExportFileProblem.allCases.count)
        let codes = ExportFileProblem.allCases.map(\.code) + ExportFileNote.allCases.map(\.rawValue)
        #expect(codes.allSatisfy { $0.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D } })
        #expect(Set(codes).count == codes.count)
    }
}

extension JSON {
    /// Whether the text of the value is JSON that reads as the value.
    static func isReadable(_ value: JSON) -> Bool { (try? JSON(parsing: value.text())) == value }
}
