import TestSupport
import Testing

@testable import Core

@Suite struct ValidUTF8Tests {
    @Test(arguments: ["", "a", "Grüße", "日本語", "👩‍👩‍👧", "\u{0}", "\u{FFFD}", "a\u{FFFD}b", "\u{10FFFF}", "e\u{301}"])
    func validBytesGiveTheirText(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(String(validUTF8: bytes).map { Array($0.utf8) } == bytes)
        #expect(String(unrepairedUTF8: bytes).map { Array($0.utf8) } == bytes)
    }

    @Test(
        arguments: [
            [0x80], [0xC3], [0x61, 0xFF], [0xC0, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF0, 0x9F, 0x91], [0xEF, 0xBF], [0xE2, 0x28, 0xA1],
        ] as [[UInt8]])
    func bytesThatAreNotUTF8AreRefused(_ bytes: [UInt8]) {
        #expect(String(validUTF8: bytes) == nil)
        #expect(String(unrepairedUTF8: bytes) == nil)
    }

    @Test func fallbackOfOlderSystemsHasTheSameResultForRandomBytes() {
        var random = Seeded.fresh("bytes of UTF-8")
        // Bytes at the limits of UTF-8's ranges, so that many sequences are almost valid.
        let borders: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF4,
            0xF5, 0xFF, 0xBD,
        ]
        var valid = 0
        for _ in 0..<50_000 {
            let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in borders.randomElement(using: &random)! }
            let text = String(validUTF8: bytes)
            #expect(
                text.map { Array($0.utf8) } == String(unrepairedUTF8: bytes).map { Array($0.utf8) },
                "\(bytes), seed \(random.seed)")
            valid += text == nil ? 0 : 1
        }
        #expect(valid > 1000 && valid < 49_000)
    }
}
