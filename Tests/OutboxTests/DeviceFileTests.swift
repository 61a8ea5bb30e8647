import Core
import Foundation
import TestSupport
import Testing

@testable import Outbox

/// The small JSON files of a device: existing devices have files that Foundation's encoder wrote.
@Suite struct DeviceFileTests {
    private static let chain = #"{"keyID":"k-_1","last":"d1","pending":{"digest":"d2","sequence":9}}"#

    @Test(arguments: [
        #"{"consent":"none","nextSequence":1}"#, #"{"consent":"given","consentSequence":3,"nextSequence":4}"#,
        #"{"chain":\#(chain),"consent":"refused","consentSequence":9,"nextSequence":9223372036854775807}"#,
        #"{"chain":{},"consent":"given","nextSequence":2}"#,
        #"{"chain":{"keyID":"k"},"consent":"given","nextSequence":2}"#,
    ])
    func aStateIsReadAndWrittenByteForByte(text: String) throws {
        let state = try #require(JSON(reading: Data(text.utf8)).flatMap(OutboxState.init(json:)))
        #expect(state.json.text() == text)
    }

    @Test func membersOfAStateAreRead() throws {
        let text = #"{"chain":\#(Self.chain),"consent":"given","consentSequence":null,"later":[],"nextSequence":7}"#
        let state = try #require(OutboxState(json: try JSON(parsing: text)))
        let chain = SignatureChain(keyID: "k-_1", last: "d1", pending: .init(sequence: 9, digest: "d2"))
        #expect(state == OutboxState(nextSequence: 7, consent: .given, consentSequence: nil, chain: chain))
    }

    @Test(arguments: [
        "{}", "[]", "null", #"{"consent":"given"}"#, #"{"nextSequence":1}"#, #"{"consent":"lost","nextSequence":1}"#,
        #"{"consent":"given","nextSequence":"1"}"#, #"{"consent":"given","nextSequence":1.5}"#,
        #"{"consent":"given","nextSequence":9223372036854775808}"#,
        #"{"consent":"given","consentSequence":"x","nextSequence":1}"#,
        #"{"chain":1,"consent":"given","nextSequence":1}"#,
        #"{"chain":{"last":1},"consent":"given","nextSequence":1}"#,
        #"{"chain":{"pending":{"digest":"d"}},"consent":"given","nextSequence":1}"#,
        #"{"consent":"given","nextSequence":0}"#,
    ])
    func aStateOfAnotherShapeIsDamaged(text: String) throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let file = folder.url.appendingPathComponent("outbox/.state.json")
        try Data(text.utf8).write(to: file)
        #expect(code { _ = try outbox.append("Contract") } == "outbox-state-damaged")
        #expect(try Data(contentsOf: file) == Data(text.utf8))
    }

    @Test(arguments: [(Int?.none, "entry-unreadable", 0.0), (422, "id-missing", 1_790_000_000.75), (400, "a/b", 0.999)])
    func reasonHasTheFormOfFoundationsEncoder(status: Int?, word: String, at: Double) throws {
        let refusal = Refusal(status: status, code: word, at: Date(timeIntervalSince1970: at))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        #expect(try refusal.json.data() == encoder.encode(refusal))
        let read = try #require(Refusal(json: refusal.json))
        #expect(read == Refusal(status: status, code: word, at: Date(timeIntervalSince1970: at.rounded(.down))))
    }

    @Test(arguments: [
        "{}", #"{"at":"2026-01-31","code":"a"}"#, #"{"at":1,"code":"a"}"#, #"{"at":"2026-01-31T08:00:00Z"}"#,
        #"{"at":"2026-01-31T08:00:00Z","code":"a","status":"400"}"#,
    ])
    func invalidRefusalReadsAsNil(text: String) throws {
        #expect(Refusal(json: try JSON(parsing: text)) == nil)
    }
}
