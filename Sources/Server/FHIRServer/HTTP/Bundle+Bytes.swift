import FHIR
import FHIRHTTP
import Foundation
import RecordStorage

extension FHIR.Bundle {
    /// Returns the bytes of the Bundle, which has no entries itself, with entries that are written one by one.
    ///
    /// - Parameters:
    ///   - reservation: the response's part of the budget.
    ///   - write: appends an entry in a format.
    package func bytes<Entry>(
        around entries: [Entry], as format: FHIRFormat, reservation: AnswerReservation?,
        _ write: (Entry, FHIRFormat, inout [UInt8]) throws -> Void
    ) throws -> AnswerBytes {
        var writer = AnswerWriter()
        try append(around: entries, as: format, to: &writer, write)
        return writer.finish(reservation)
    }

    /// Appends the Bundle, which has no entries itself, with entries that are written one by one.
    package func append<Entry>(
        around entries: [Entry], as format: FHIRFormat, to writer: inout AnswerWriter,
        _ write: (Entry, FHIRFormat, inout [UInt8]) throws -> Void
    ) throws {
        var head = try format.bytes(of: json)
        guard !entries.isEmpty else { return writer.append { $0.append(contentsOf: head) } }
        // The entries are the last member of the Bundle.
        let end: [UInt8]
        switch format {
        case .json:
            head.removeLast()
            head.append(contentsOf: ",\"entry\":[".utf8)
            end = Array("]}".utf8)
        case .xml:
            end = Array("</Bundle>".utf8)
            guard let mark = head.lastRange(of: end) else { throw RecordsFailure.formatImpossible }
            head.removeSubrange(mark.lowerBound...)
        }
        writer.append { $0.append(contentsOf: head) }
        for (index, entry) in entries.enumerated() {
            try _Concurrency.Task.checkCancellation()
            try writer.append { output in
                if index > 0, case .json = format { output.append(UInt8(ascii: ",")) }
                try write(entry, format, &output)
            }
        }
        writer.append { $0.append(contentsOf: end) }
    }
}

extension FHIRFormat {
    /// Appends the entry of a Bundle as XML.
    ///
    /// - Throws: ``RecordsFailure`` `format-impossible`.
    package static func append(entry: FHIR.Bundle.Entry, to output: inout [UInt8]) throws(RecordsFailure) {
        var bundle = FHIR.Bundle(type: .collection)
        bundle.entry = [entry]
        let bytes = try FHIRFormat.xml.bytes(of: bundle.json)
        guard let begin = bytes.firstRange(of: Array("<entry>".utf8)),
            let end = bytes.lastRange(of: Array("</Bundle>".utf8)), begin.lowerBound < end.lowerBound
        else { throw .formatImpossible }
        output.append(contentsOf: bytes[begin.lowerBound..<end.lowerBound])
    }
}

extension [UInt8] {
    /// Returns the last range of some bytes.
    fileprivate func lastRange(of bytes: [UInt8]) -> Range<Int>? {
        guard count >= bytes.count else { return nil }
        for start in stride(from: count - bytes.count, through: 0, by: -1)
        where self[start..<start + bytes.count].elementsEqual(bytes) {
            return start..<start + bytes.count
        }
        return nil
    }
}
