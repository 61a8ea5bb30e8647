import TestSupport
import Testing

@testable import Attachments

@Suite struct ImageFuzzTests {
    /// A changed file is refused, or its result is clean and does not change when it is cleaned again.
    @Test func changedFilesAreRefusedOrCleaned() throws {
        var random = Seeded.fresh()
        let orientation = JPEGBytes.exifSegment(orientation: 6, isLittle: true)
        let files = [
            JPEGBytes.file(
                JPEGBytes.jfif, orientation, JPEGBytes.segment(0xED, text: "Photoshop 3.0\0x"),
                ProfileBytes.segments(ProfileBytes.profile(), parts: 2), JPEGBytes.adobe, trailing: [1, 2, 3]),
            PNGBytes.file(
                PNGBytes.chunk("eXIf", JPEGBytes.exif(orientation: 3)), PNGBytes.chunk("gAMA", [0, 1, 2, 3]),
                PNGBytes.chunk("tEXt", [65, 0, 66]), trailing: [9]),
        ]
        var cleaned = 0
        for round in 0..<2000 {
            var file = files[round % files.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 3..<file.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: file[index] = .random(in: 0...255, using: &random)
                case 1: file[index] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
                case 2: file.remove(at: index)
                case 3: file.insert([0xFF, 0, 0xD9, 0xE1].randomElement(using: &random) ?? 0, at: index)
                default:
                    let other = Int.random(in: 0..<file.count, using: &random)
                    file.insert(
                        contentsOf: file[min(index, other)..<min(max(index, other), min(index, other) + 40)], at: index)
                }
            }
            guard let image = try? CleanedImage(file) else { continue }
            cleaned += 1
            let again = try CleanedImage(image.bytes)
            #expect(again.removed.isEmpty, "round \(round)")
            #expect(again.bytes == image.bytes, "round \(round)")
            #expect((again.width, again.height, again.orientation) == (image.width, image.height, image.orientation))
        }
        #expect(cleaned > 100, "the changes must leave files that are cleaned: \(cleaned)")
    }

    /// Four times the bytes take about four times the time, not sixteen times.
    @Test func theTimeIsLinear() throws {
        let growth = try Growth.of(from: 20_000) { count in
            let parts = [UInt8](repeating: 0x2A, count: count)
            return JPEGBytes.file(
                (0..<count / 100).flatMap { _ in JPEGBytes.segment(0xFE, text: "SECRET") },
                picture: JPEGBytes.picture + parts
            )
        } _: {
            _ = try CleanedImage($0)
        }
        #expect(growth.factor < 10, "\(growth)")
    }
}
