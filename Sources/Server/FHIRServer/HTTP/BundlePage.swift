import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation
import RecordStorage

/// A page of records as a response: a searchset or a history whose entries are written from the stored bytes, one by
/// one.
package struct BundlePage: Sendable {
    struct Entry: Sendable {
        enum Kind: Sendable {
            /// An entry of a searchset, with the part of the record to return; nil for all of it.
            case found(SearchEntryMode, ResourceSubset?)
            /// An entry of a history.
            case version(isRevived: Bool)
        }

        let record: StoredRecord
        let kind: Kind

        /// Returns the entry as a FHIR element.
        ///
        /// - Throws: ``FHIR/ResourceError`` where the record is damaged.
        func value(url: String) throws -> FHIR.Bundle.Entry {
            switch kind {
            case .found(let mode, let subset):
                RecordsService.match(
                    try record.resource(showing: subset), at: "\(url)/\(record.type)/\(record.id)", as: mode)
            case .version(let isRevived):
                try FHIR.Bundle.Entry(history: record, url: url, isRevived: isRevived)
            }
        }

        /// Appends the entry as JSON; a whole record is not parsed.
        ///
        /// - Throws: the errors of ``value(url:)``.
        func append(url: String, to output: inout [UInt8]) throws {
            let (mode, subset): (SearchEntryMode, ResourceSubset?)
            switch kind {
            case .found(let asked, let part): (mode, subset) = (asked, part)
            case .version(let isRevived): return try append(version: url, isRevived: isRevived, to: &output)
            }
            output.append(contentsOf: "{\"fullUrl\":".utf8)
            JSON.string("\(url)/\(record.type)/\(record.id)").write(to: &output)
            output.append(contentsOf: ",\"resource\":".utf8)
            try record.append(showing: subset, to: &output)
            output.append(contentsOf: ",\"search\":{\"mode\":\"".utf8)
            output.append(contentsOf: mode.rawValue.utf8)
            output.append(contentsOf: "\"}}".utf8)
        }

        private func append(version url: String, isRevived: Bool, to output: inout [UInt8]) throws {
            let head = FHIR.Bundle.Entry(historyHead: record, url: url, isRevived: isRevived)
            guard !record.isDeleted else { return head.json.write(to: &output) }
            output.append(contentsOf: "{\"resource\":".utf8)
            try record.append(showing: nil, to: &output)
            output.append(UInt8(ascii: ","))
            // The head contains at least the request and the response, so a member follows.
            output.append(contentsOf: head.json.bytes().dropFirst())
        }
    }

    /// The Bundle without its entries.
    let head: FHIR.Bundle
    let entries: [Entry]
    /// The base URL of the API.
    let url: String
    /// The ignored parts of the request, in the last entry; nil for none.
    var outcome: OperationOutcome?
    /// The allowance of the page's records.
    var allowance: AnswerAllowance?

    /// The page as a resource.
    ///
    /// - Throws: ``FHIR/ResourceError`` where a record is damaged.
    var bundle: FHIR.Bundle {
        get throws {
            var bundle = head
            bundle.entry = try entries.map { try $0.value(url: url) }
            if let outcome { bundle.entry.append(outcome.searchEntry) }
            return bundle
        }
    }

    /// Returns the page in a format.
    ///
    /// - Throws: ``FHIR/ResourceError`` where a record is damaged; ``RecordsFailure`` where the format cannot represent
    ///   something in it.
    func bytes(as format: FHIRFormat) throws -> AnswerBytes {
        try head.bytes(around: parts, as: format, reservation: allowance?.reservation) { part, format, output in
            switch format {
            case .json: try part.append(url: url, to: &output)
            case .xml: try FHIRFormat.append(entry: try part.value(url: url), to: &output)
            }
        }
    }

    /// An entry with a record, or the outcome at the end.
    private enum Part {
        case record(Entry)
        case outcome(OperationOutcome)

        func value(url: String) throws -> FHIR.Bundle.Entry {
            switch self {
            case .record(let entry): try entry.value(url: url)
            case .outcome(let outcome): outcome.searchEntry
            }
        }

        func append(url: String, to output: inout [UInt8]) throws {
            switch self {
            case .record(let entry): try entry.append(url: url, to: &output)
            case .outcome(let outcome): outcome.searchEntry.json.write(to: &output)
            }
        }
    }

    private var parts: [Part] { entries.map { .record($0) } + (outcome.map { [.outcome($0)] } ?? []) }

    /// Appends the page as JSON, as the resource in another Bundle's entry.
    ///
    /// - Throws: the errors of ``bytes(as:)``.
    func append(to writer: inout AnswerWriter) throws {
        try head.append(around: parts, as: .json, to: &writer) { part, _, output in
            try part.append(url: url, to: &output)
        }
    }
}
