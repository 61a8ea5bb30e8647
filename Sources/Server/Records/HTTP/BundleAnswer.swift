import FHIR
import Foundation

/// What became of the entries of a batch or a transaction (<https://hl7.org/fhir/R4/http.html#transaction-response>). The
/// resources that were written are told from their bytes: none of them is made into values for it.
struct BundleAnswer: Sendable {
    struct Entry: Sendable {
        /// All but the resource, where one was written.
        let head: FHIR.Bundle.Entry
        /// What was written, where it is told.
        let record: StoredRecord?
        /// The resource that was read, as JSON; empty where there is none.
        let body: [UInt8]

        init(_ head: FHIR.Bundle.Entry, record: StoredRecord? = nil, body: [UInt8] = []) {
            self.head = head
            self.record = record
            self.body = body
        }
    }

    let type: BundleType
    var entries: [Entry] = []

    /// The answer as a value.
    ///
    /// - Throws: ``FHIR/ResourceError`` where a record is damaged.
    var bundle: FHIR.Bundle {
        get throws {
            var bundle = FHIR.Bundle(type: type)
            bundle.entry = try entries.map { entry in
                var whole = entry.head
                if let record = entry.record {
                    whole.resource = try record.resource()
                } else if !entry.body.isEmpty {
                    whole.resource = try Resource(Data(entry.body))
                }
                return whole
            }
            return bundle
        }
    }

    /// The answer as JSON.
    ///
    /// - Throws: as ``bundle`` does.
    func bytes() throws -> [UInt8] {
        guard !entries.isEmpty else { return try bundle.json.bytes() }
        let count = entries.reduce(0) { $0 + ($1.record?.content.count ?? 0) + $1.body.count + 500 }
        return try FHIR.Bundle(type: type).bytes(around: entries, reserving: count) { entry, output in
            guard entry.record != nil || !entry.body.isEmpty else { return entry.head.json.write(to: &output) }
            output.append(contentsOf: "{\"resource\":".utf8)
            if let record = entry.record {
                try record.append(showing: nil, to: &output)
            } else {
                output += entry.body
            }
            output.append(UInt8(ascii: ","))
            // It has a response, so that something follows.
            output.append(contentsOf: entry.head.json.bytes().dropFirst())
        }
    }
}
