import Core
import Foundation
import TestSupport
import Testing

@Suite struct UUIDTextTests {
    private func read(_ text: String, isLowercase: Bool = false) -> UUID? {
        var text = text
        return text.withUTF8 { UUID(text: $0, isLowercase: isLowercase) }
    }

    private func written(_ uuid: UUID, isLowercase: Bool) -> String {
        String(unsafeUninitializedCapacity: UUID.textLength) { buffer in
            buffer.baseAddress.map { uuid.writeText(to: $0, isLowercase: isLowercase) }
            return UUID.textLength
        }
    }

    @Test func aUUIDReadsBackInEitherCase() {
        var random = Seeded.fresh()
        for _ in 0..<1_000 {
            let uuid = UUID((random.next(), random.next()))
            #expect(UUID(uuid.halves) == uuid)
            #expect(written(uuid, isLowercase: false) == uuid.uuidString)
            #expect(written(uuid, isLowercase: true) == uuid.uuidString.lowercased())
            #expect(uuid.lowercaseText == uuid.uuidString.lowercased())
            #expect(read(uuid.uuidString) == uuid && read(uuid.uuidString.lowercased()) == uuid)
            #expect(read(uuid.uuidString.lowercased(), isLowercase: true) == uuid)
            let hasLetter = uuid.uuidString.contains { $0.isLetter }
            #expect((read(uuid.uuidString, isLowercase: true) == nil) == hasLetter)
        }
    }

    @Test func randomUUIDsAreOfVersionFourAndDiffer() {
        let made = (0..<1_000).map { _ in UUID.random() }
        #expect(Set(made).count == made.count)
        for uuid in made {
            let text = Array(uuid.lowercaseText)
            #expect(text[14] == "4" && "89ab".contains(text[19]))
        }
    }

    @Test func invalidUUIDsAreNotRead() {
        var random = Seeded.fresh()
        let text = Array("0f4A7b12-9c3d-4e5f-8a6b-7c8d9e0f1a2b".utf8)
        for _ in 0..<20_000 {
            var changed = text
            changed[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            let read = changed.withUnsafeBufferPointer { UUID(text: $0) }
            let isWhole = changed.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index) ? byte == 0x2D : Hexadecimal.value(of: byte) != nil
            }
            // Foundation on Linux accepts invalid texts, such as digits with a preceding blank.
            let expected = isWhole ? UUID(uuidString: String(decoding: changed, as: UTF8.self)) : nil
            #expect(read == expected && (read != nil) == isWhole, "\(changed)")
        }
        for text in ["", "0f4a7b12", "0f4a7b12-9c3d-4e5f-8a6b-7c8d9e0f1a2b0", "{f4a7b12-9c3d-4e5f-8a6b-7c8d9e0f1a2}"] {
            #expect(read(text) == nil)
        }
    }
}
