import FHIR
import FHIRHTTP
import Foundation
import RecordStorage

/// The response to the entries of a batch or a transaction (<https://hl7.org/fhir/R4/http.html#transaction-response>).
/// The resources are written from their stored bytes, one by one.
package struct BundleAnswer: Sendable {
    struct Entry: Sendable {
        /// The resource of an entry.
        enum Content: Sendable {
            /// A written record.
            case record(StoredRecord)
            /// The JSON of a read.
            case read([UInt8])
        }

        /// The entry without its resource, where there is a content.
        let head: FHIR.Bundle.Entry
        let content: Content?
        /// The number of resources in it.
        var resources = 1

        init(_ head: FHIR.Bundle.Entry, _ content: Content? = nil) {
            self.head = head
            self.content = content
        }

        /// The number of bytes of a read.
        var readBytes: Int { if case .read(let bytes) = content { bytes.count } else { 0 } }

        /// The entry as a FHIR element.
        fileprivate var value: FHIR.Bundle.Entry {
            get throws {
                var whole = head
                switch content {
                case .record(let record): whole.resource = try record.resource()
                case .read(let bytes): whole.resource = try Resource(Data(bytes))
                case nil: break
                }
                return whole
            }
        }

        /// Appends the entry as JSON.
        fileprivate func append(to writer: inout AnswerWriter) throws {
            guard let content else { return writer.append { head.json.write(to: &$0) } }
            try writer.append { output in
                output.append(contentsOf: "{\"resource\":".utf8)
                switch content {
                case .record(let record): try record.append(showing: nil, to: &output)
                case .read(let bytes): output += bytes
                }
                output.append(UInt8(ascii: ","))
                // The head contains at least the response, so a member follows.
                output.append(contentsOf: head.json.bytes().dropFirst())
            }
        }
    }

    let type: BundleType
    var entries: [Entry] = []
    /// The allowance that all entries share.
    var allowance: AnswerAllowance?

    /// Returns the response in a format.
    ///
    /// - Throws: ``FHIR/ResourceError`` where a record is damaged; ``RecordsFailure`` where the format cannot
    ///   represent something in it.
    func bytes(as format: FHIRFormat) throws -> AnswerBytes {
        let head = FHIR.Bundle(type: type)
        if case .xml = format {
            return try head.bytes(around: entries, as: .xml, reservation: allowance?.reservation) { entry, _, output in
                try FHIRFormat.append(entry: try entry.value, to: &output)
            }
        }
        var writer = AnswerWriter()
        guard !entries.isEmpty else {
            writer.append { head.json.write(to: &$0) }
            return writer.finish(allowance?.reservation)
        }
        writer.append { output in
            head.json.write(to: &output)
            output.removeLast()
            output.append(contentsOf: ",\"entry\":[".utf8)
        }
        for (index, entry) in entries.enumerated() {
            if index > 0 { writer.append { $0.append(UInt8(ascii: ",")) } }
            try entry.append(to: &writer)
        }
        writer.append { $0.append(contentsOf: "]}".utf8) }
        return writer.finish(allowance?.reservation)
    }
}
