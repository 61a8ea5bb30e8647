import FHIR
import Foundation

/// A page of a search as it is answered: a searchset whose entries are written from what is stored.
struct SearchsetPage: Sendable {
    struct Entry: Sendable {
        let record: StoredRecord
        let mode: SearchEntryMode
        /// What of it is shown; nil for all of it.
        let subset: ResourceSubset?

        func resource() throws -> Resource { try record.resource(showing: subset) }
    }

    /// All but the entries.
    let head: FHIR.Bundle
    let entries: [Entry]
    /// The base URL of the API.
    let url: String
    /// What of the request was ignored: the last entry; nil where nothing was.
    var outcome: OperationOutcome?

    /// The page as a value.
    ///
    /// - Throws: ``FHIR/ResourceError`` where a record is damaged.
    var bundle: FHIR.Bundle {
        get throws {
            var bundle = head
            bundle.entry = try entries.map {
                RecordsService.match(try $0.resource(), at: url(of: $0), as: $0.mode)
            }
            if let outcome { bundle.entry.append(outcome.searchEntry) }
            return bundle
        }
    }

    /// The page in a format. JSON is put together of the records' bytes (``ResourceLine``): a page of whole resources is
    /// never made into values.
    ///
    /// - Throws: ``FHIR/ResourceError`` where a record is damaged; ``RecordsFailure`` where the format has no place for
    ///   something in it.
    func bytes(as format: FHIRFormat) throws -> [UInt8] {
        guard case .json = format, !entries.isEmpty else { return try format.bytes(of: try bundle.json) }
        let count = entries.reduce(2) { $0 + $1.record.content.count + 300 }
        var bytes = try head.bytes(around: entries, reserving: count) { entry, output in
            output.append(contentsOf: "{\"fullUrl\":".utf8)
            JSON.string(url(of: entry)).write(to: &output)
            output.append(contentsOf: ",\"resource\":".utf8)
            try entry.record.append(showing: entry.subset, to: &output)
            output.append(contentsOf: ",\"search\":{\"mode\":\"".utf8)
            output.append(contentsOf: entry.mode.rawValue.utf8)
            output.append(contentsOf: "\"}}".utf8)
        }
        if let outcome {
            // Behind the last entry.
            bytes.removeLast(2)
            bytes.append(UInt8(ascii: ","))
            outcome.searchEntry.json.write(to: &bytes)
            bytes.append(contentsOf: "]}".utf8)
        }
        return bytes
    }

    private func url(of entry: Entry) -> String { "\(url)/\(entry.record.type)/\(entry.record.id)" }
}
