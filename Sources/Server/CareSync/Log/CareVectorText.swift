import CarePlans
import Core
import Foundation
import Storage

/// The text form of vectors in the store: `UUID=clock` for each process, with spaces between, in the order of the ids.
enum CareVectorText {
    static func text(_ vector: KnowledgeVector) -> String {
        vector.clocks.map { "\($0.key.uuidString)=\($0.value)" }.sorted().joined(separator: " ")
    }

    /// - Throws: ``StorageError`` for a text of another form.
    static func vector(_ text: String) throws -> KnowledgeVector {
        var clocks: [UUID: Int] = [:]
        for part in text.utf8.split(separator: UInt8(ascii: " ")) {
            let halves = part.split(separator: UInt8(ascii: "="))
            guard halves.count == 2, let id = UUID(text: Substring(halves[0])), let clock = Int(Substring(halves[1]))
            else { throw StorageError(code: "storage-column", message: "A vector in the store cannot be read.") }
            clocks[id] = clock
        }
        return KnowledgeVector(clocks)
    }

    /// Returns identities as one text.
    static func text(_ uuids: [UUID]) -> String { uuids.map(\.uuidString).joined(separator: " ") }

    /// Reads the identities of a text.
    static func uuids(_ text: String) -> [UUID] { text.split(separator: " ").compactMap { UUID(text: $0) } }
}
