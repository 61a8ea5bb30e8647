import Core
import Foundation
import Testing

@testable import Wire

@Suite struct Base64URLTests {
    @Test(arguments: [
        ("", ""), ("66", "Zg"), ("666f", "Zm8"), ("666f6f", "Zm9v"), ("fbff", "-_8"), ("03ecffe0c1", "A-z_4ME"),
    ])
    func bytesHaveOneSpelling(hex: String, text: String) {
        #expect(Data(hex: hex).base64URL == text)
        #expect(Data(base64URL: text) == Data(hex: hex))
    }

    @Test(arguments: ["Zg==", "Zh", "A", "Zm9v\n", "Zm 9", "-_9", "+/8", "Zm9vZ", "é"])
    func otherSpellingsAreRefused(text: String) {
        #expect(Data(base64URL: text) == nil)
    }

    @Test func everyLengthComesBack() {
        for length in 0..<200 {
            let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) })
            #expect(Data(base64URL: bytes.base64URL) == bytes)
        }
    }

    @Test func aSliceIsEncodedFromItsOwnStart() {
        #expect(Data([1, 2, 3, 4, 5]).dropFirst(2).base64URL == Data([3, 4, 5]).base64URL)
    }
}

@Suite struct PEMTests {
    @Test func blocksAreFoundBetweenOtherText() throws {
        let one = PEMDocument.text(label: "A", bytes: Data(repeating: 7, count: 100))
        let document = try #require(PEMDocument("subject=x\r\n" + one + "\nnote\n" + one))
        #expect(document.blocks.map(\.label) == ["A", "A"])
        #expect(document.blocks.allSatisfy { $0.bytes == Data(repeating: 7, count: 100) })
        #expect(one.split(separator: "\n").allSatisfy { $0.count <= 64 })
    }

    @Test(arguments: [
        "-----BEGIN A-----\nAAAA\n", "-----BEGIN A-----\nAAAA\n-----END B-----\n",
        "-----BEGIN A-----\n*\n-----END A-----\n",
        "-----END A-----", "-----BEGIN A-----\n-----BEGIN A-----\n-----END A-----\n",
    ])
    func damagedTextIsRefused(text: String) {
        #expect(PEMDocument(text) == nil)
    }
}
