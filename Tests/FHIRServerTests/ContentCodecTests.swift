import Core
import Crypto
import FHIR
import Foundation
import HealthData
import HealthTypes
import Storage
import TestSupport
import Testing

@testable import RecordStorage

@Suite struct ContentCodecTests {
    private static let examples: [(type: String, content: Data)] = HealthTypeTable.standard.all.compactMap { type in
        guard let json = type.example(), let name = json.object?["resourceType"]?.string else { return nil }
        return (name, json.data())
    }

    private func read(_ stored: Data) throws -> Data {
        try ContentCodec.content(stored) { try ContentDictionaries.numbered($0) }
    }

    @Test func everyExampleOfTheTypeTableIsCompressedToAFifth() throws {
        var (came, taken) = (0, 0)
        for (type, content) in Self.examples {
            let stored = ContentCodec.stored(content, type: type)
            #expect(try read(stored) == content)
            let head = stored.prefix(ContentCodec.headCount)
            let length = try ContentCodec.length(ofHead: head, storedCount: stored.count)
            #expect(length == content.count)
            guard type == Observation.resourceType else { continue }
            came += content.count
            taken += stored.count
        }
        #expect(Self.examples.count > 200)
        #expect(taken * 5 < came, "\(taken) of \(came)")
    }

    /// zstd stops in the middle of content that cannot be compressed.
    @Test func storedFormDoesNotDependOnEarlierContents() throws {
        var random = Seeded.fresh()
        let consent = Data(#"{"resourceType":"Consent","id":"w1","status":"inactive","scope":{"text":"x"}}"#.utf8)
        let first = ContentCodec.stored(consent, type: "Consent")
        for count in stride(from: 40, through: 4_000, by: 40) {
            // Content that accidentally begins like a frame is stored with its own header.
            let noise = Data([0, 0, 0, 0] + (4..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            #expect(ContentCodec.stored(noise, type: "Observation") == noise)
            #expect(ContentCodec.stored(consent, type: "Consent") == first)
        }
    }

    @Test func anyBytesAreReadUnchanged() throws {
        var random = Seeded.fresh()
        let heads: [[UInt8]] = [
            [], [0x28, 0xB5, 0x2F, 0xFD], [0x50, 0x2A, 0x4D, 0x18], [0x28, 0xB5], [0, 0, 0x4D, 0x18],
        ]
        for round in 0..<3000 {
            let count = round < 200 ? round : Int.random(in: 0...5000, using: &random)
            let alphabet: ClosedRange<UInt8> = Bool.random(using: &random) ? 0...255 : 0x61...0x64
            let tail = (0..<count).map { _ in UInt8.random(in: alphabet, using: &random) }
            let content = Data((heads.randomElement(using: &random) ?? []) + tail)
            let type = ["Observation", "Contract", "Encounter"].randomElement(using: &random) ?? ""
            let stored = ContentCodec.stored(content, type: type)
            #expect(try read(stored) == content)
            #expect(stored.count <= content.count + 8)
        }
    }

    @Test func contentOfOlderVersionsIsReadUnchanged() throws {
        for text in [#"{"resourceType":"Patient"}"#, " \n{}", "\u{FEFF}{}", ""] {
            #expect(try read(Data(text.utf8)) == Data(text.utf8))
        }
    }

    @Test func damagedBytesAreAnErrorAndNeverOtherBytes() throws {
        var random = Seeded.fresh()
        for _ in 0..<20_000 {
            guard let (type, content) = Self.examples.randomElement(using: &random) else { return }
            var stored = ContentCodec.stored(content, type: type)
            switch Int.random(in: 0...3, using: &random) {
            case 0:
                let offset = Int.random(in: 0..<stored.count, using: &random)
                stored[offset] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 1:
                // In the header, which contains the length and the number of the dictionary.
                let offset = Int.random(in: 0..<12, using: &random)
                stored[offset] = UInt8.random(in: 0...255, using: &random)
            case 2: stored = Data(stored.prefix(Int.random(in: 4..<stored.count, using: &random)))
            default: stored += (0..<Int.random(in: 1...9, using: &random)).map { _ in UInt8(0x5A) }
            }
            do {
                let found = try read(stored)
                #expect(found == content)
            } catch let error as StorageError {
                #expect(error.code == "storage-corrupt")
            }
        }
    }

    @Test func impossibleLengthAllocatesNothing() throws {
        // A frame whose header declares 2 to the power of 60 bytes.
        let huge = Data([0x28, 0xB5, 0x2F, 0xFD, 0xE0, 0, 0, 0, 0, 0, 0, 0, 0x10, 1, 0, 0])
        #expect(throws: StorageError.self) { try read(huge) }
        let large = Data([0x28, 0xB5, 0x2F, 0xFD, 0xA0, 0, 0, 0, 0x0F, 1, 0, 0])
        #expect(throws: StorageError.self) { try read(large) }
    }

    private func made(_ dictionary: ContentDictionary, _ bytes: Data) throws -> ContentDictionary {
        try ContentDictionary(
            number: dictionary.number, type: dictionary.type, sha256: dictionary.sha256, bytes: bytes)
    }

    @Test func aTornDictionaryIsNotUsed() throws {
        var random = Seeded.fresh()
        for dictionary in try ContentDictionaries.all() {
            for _ in 0..<20 {
                var torn = dictionary.bytes
                torn[Int.random(in: 0..<torn.count, using: &random)] ^= 1
                for bytes in [torn, dictionary.bytes.dropLast()] {
                    let error = #expect(throws: StorageError.self) {
                        _ = try made(dictionary, bytes)
                    }
                    #expect(error?.code == "storage-corrupt")
                }
            }
        }
    }

    /// Returns a dictionary of another version of the program: number 200, which this one does not contain.
    private func foreign() throws -> (dictionary: ContentDictionary, stored: Data, content: Data) {
        let shipped = try #require(try ContentDictionaries.numbered(1))
        var bytes = shipped.bytes
        bytes.replaceSubrange(4..<8, with: [200, 0, 0, 0])
        let sha256 = Hexadecimal.text(SHA256.hash(data: bytes))
        let content = Self.examples[0].content
        var stored = ContentCodec.stored(content, type: Observation.resourceType)
        #expect(stored[5] == 1)
        stored[5] = 200
        return (
            try ContentDictionary(number: 200, type: Observation.resourceType, sha256: sha256, bytes: bytes), stored,
            content
        )
    }

    @Test func dictionaryThatOnlyTheStoreHasIsReadFromIt() async throws {
        let (dictionary, stored, content) = try foreign()
        #expect(throws: StorageError.self) { try read(stored) }
        let fixture = try await RecordsFixture()
        let found = try await fixture.database.write { transaction in
            try transaction.execute(
                "INSERT INTO content_dictionary (number, type, sha256, content) VALUES (?, ?, ?, ?)",
                [200, "Observation", SQLValue(dictionary.sha256), SQLValue(dictionary.bytes)])
            return try ContentCodec.content(stored, in: transaction)
        }
        #expect(found == content)
        let error = await #expect(throws: StorageError.self) {
            try await fixture.database.write { transaction in
                try transaction.execute(
                    "UPDATE content_dictionary SET content = ? WHERE number = 200",
                    [SQLValue(Data(dictionary.bytes.dropFirst()))])
                _ = try ContentCodec.content(stored, in: transaction)
            }
        }
        #expect(error?.code == "storage-corrupt")
        try await fixture.close()
    }

    @Test func storeRecordsTheDictionariesAndRefusesOthersWithTheirNumbers() async throws {
        let fixture = try await RecordsFixture()
        let recorded = try await fixture.database.write { transaction in
            try ContentDictionaries.insert(in: transaction)
            return try transaction.query("SELECT number, type, sha256, content FROM content_dictionary ORDER BY number")
        }
        let shipped = try ContentDictionaries.all()
        #expect(try recorded.map { try $0.text("sha256") } == shipped.map(\.sha256))
        #expect(try recorded.map { try $0.blob("content") } == shipped.map(\.bytes))
        #expect(shipped.map(\.number) == Array(1...shipped.count))
        let error = await #expect(throws: StorageError.self) {
            try await fixture.database.write { transaction in
                let other = try foreign().dictionary
                try transaction.execute("DELETE FROM content_dictionary WHERE number = 2")
                try transaction.execute(
                    "INSERT INTO content_dictionary (number, type, sha256, content) VALUES (2, 'Observation', ?, ?)",
                    [SQLValue(other.sha256), SQLValue(other.bytes)])
                try ContentDictionaries.insert(in: transaction)
            }
        }
        #expect(error?.code == "storage-corrupt")
        try await fixture.close()
    }

    @Test func concurrentUsesDoNotAffectEachOther() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<12 {
                group.addTask {
                    for index in 0..<300 {
                        let (type, content) = Self.examples[(index * 7 + task) % Self.examples.count]
                        let found = try read(ContentCodec.stored(content, type: type))
                        #expect(found == content)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
