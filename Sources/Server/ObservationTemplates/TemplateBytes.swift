import Core
import FHIR
import Foundation
import RecordStorage

/// The bytes of a template: those of an Observation around the values that may differ. An Observation with the same
/// bytes differs in nothing else.
///
/// FHIR's rules depend only on the formats of these values, on the precision of times, and on the order of a period's
/// start and end. All of these are checked here.
package struct TemplateBytes: Sendable {
    private let pieces: [[UInt8]]
    private let slots: [Slot]

    private struct Slot: Sendable {
        let kind: ObservationScalars.Kind
        /// The precision of the first Observation's time; nil for other values.
        let precision: DateTime.Precision?
    }

    /// Creates the template of an Observation.
    ///
    /// - Parameters:
    ///   - content: its JSON.
    ///   - resource: the parsed JSON.
    /// - Returns: nil where each Observation must be validated by itself: it has contained resources, a profile, or
    ///   values in an unusual notation.
    package init?(of content: Data, _ resource: Resource) {
        guard resource.resourceType == Observation.resourceType, resource["contained"] == nil,
            resource["meta"]?["profile"] == nil
        else { return nil }
        let bytes = Array(content)
        let found = ObservationScalars.found(in: bytes)
        var pieces: [[UInt8]] = []
        var slots: [Slot] = []
        var end = 0
        for (kind, range) in found {
            pieces.append(Array(bytes[end..<range.lowerBound]))
            let time = kind.isTime ? DateTime(String(decoding: bytes[range], as: UTF8.self)) : nil
            guard !kind.isTime || time != nil else { return nil }
            slots.append(Slot(kind: kind, precision: time?.precision))
            end = range.upperBound
        }
        pieces.append(Array(bytes[end...]))
        (self.pieces, self.slots) = (pieces, slots)
        guard Self.areAll(found.map(\.kind), of: resource), let values = values(in: content), values.id == resource.id
        else { return nil }
        // With less precision than seconds, the order of equal dates is unknown.
        if case .period(let start, let end) = values.time, min(start.precision, end.precision) < .second { return nil }
    }

    /// Whether the values that were found are all values of the resource, each once, and no others.
    private static func areAll(_ found: [ObservationScalars.Kind], of resource: Resource) -> Bool {
        func count(_ kind: ObservationScalars.Kind) -> Int { found.count { $0 == kind } }
        let translations = resource["valueQuantity"]?["extension"]?.array ?? []
        guard translations.count == count(.translation),
            translations.allSatisfy({ $0["url"]?.string == Self.translation }), translations.count <= 1
        else { return false }
        let isPeriod = resource["effectivePeriod"] != nil
        let identifiers = resource["identifier"]?.array ?? []
        return count(.id) == 1 && count(.identifier) == identifiers.count
            && count(.moment) == (isPeriod ? 0 : 1) && count(.start) == (isPeriod ? 1 : 0)
            && count(.end) == (isPeriod ? 1 : 0) && count(.number) == (resource["valueQuantity"] == nil ? 0 : 1)
            && count(.issued) == (resource["issued"] == nil ? 0 : 1)
    }

    /// A quantity as recorded, in another unit.
    private static let translation = "http://hl7.org/fhir/StructureDefinition/iso21090-PQ-translation"

    /// Returns the values of an Observation of this template.
    ///
    /// - Parameter content: its JSON.
    /// - Returns: nil for other JSON, and where a value must be validated by itself.
    package func values(in content: Data) -> ObservationValues? {
        content.withUnsafeBytes { bytes in
            var parser = Parser(bytes: bytes.bindMemory(to: UInt8.self))
            for (piece, slot) in zip(pieces, slots) {
                guard parser.take(piece), parser.take(slot.kind, slot.precision) else { return nil }
            }
            guard parser.take(pieces[pieces.count - 1]), parser.isAtEnd else { return nil }
            return parser.values
        }
    }

    /// Returns the JSON of an Observation of this template.
    ///
    /// - Returns: nil where the template needs other values, or where the values have another notation.
    package func content(with values: ObservationValues) -> Data? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.reduce(256) { $0 + $1.count })
        var identifiers = values.identifiers[...]
        for (piece, slot) in zip(pieces, slots) {
            bytes.append(contentsOf: piece)
            let text: String? =
                switch (slot.kind, values.time) {
                case (.id, _): values.id
                case (.identifier, _): identifiers.popFirst()
                case (.moment, .moment(let moment)): moment.text
                case (.start, .period(let start, _)): start.text
                case (.end, .period(_, let end)): end.text
                case (.number, _): values.number?.text
                default: nil
                }
            guard let text else { return nil }
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(contentsOf: pieces[pieces.count - 1])
        let content = Data(bytes)
        return self.values(in: content) == values ? content : nil
    }

    /// Reads an Observation's JSON.
    private struct Parser {
        let bytes: UnsafeBufferPointer<UInt8>
        var offset = 0
        var id = ""
        var identifiers: [String] = []
        var times: [ObservationScalars.Kind: DateTime] = [:]
        var number: JSONNumber?

        var isAtEnd: Bool { offset == bytes.count }

        mutating func take(_ piece: [UInt8]) -> Bool {
            guard bytes.count - offset >= piece.count, let start = bytes.baseAddress else { return false }
            let isThere = piece.withUnsafeBufferPointer { piece in
                piece.baseAddress.map { memcmp($0, start + offset, piece.count) == 0 } ?? true
            }
            if isThere { offset += piece.count }
            return isThere
        }

        /// Reads a value up to the end of its text.
        mutating func take(_ kind: ObservationScalars.Kind, _ precision: DateTime.Precision?) -> Bool {
            let start = offset
            while offset < bytes.count, offset - start <= Self.longest, kind.mayHave(bytes[offset]) { offset += 1 }
            let found = UnsafeBufferPointer(rebasing: bytes[start..<offset])
            guard !found.isEmpty, found.count <= Self.longest else { return false }
            switch kind {
            case .id:
                id = String(decoding: found, as: UTF8.self)
                return Resource.isID(id)
            case .identifier:
                let identifier = String(decoding: found, as: UTF8.self)
                // Equal identifiers have only one search entry.
                guard !identifiers.contains(identifier) else { return false }
                identifiers.append(identifier)
                return true
            case .number, .translation:
                guard found.count <= Self.longestNumber,
                    let read = JSONNumber(text: String(decoding: found, as: UTF8.self))
                else { return false }
                if kind == .number { number = read }
                return true
            case .moment, .start, .end, .issued:
                // A time with a fraction has the same precision as one without: https://hl7.org/fhirpath/N1/#comparison
                // FHIRPath has no leap seconds, so an Observation with one is validated by itself.
                guard let time = DateTime(String(decoding: found, as: UTF8.self)), let precision,
                    min(time.precision, .second) == min(precision, .second), time.second < 60
                else { return false }
                if kind != .issued { times[kind] = time }
                return true
            }
        }

        /// Maximum number of bytes of a text and of a number.
        private static let longest = 200
        private static let longestNumber = 32

        /// The values; nil where the times are missing, or in the wrong order.
        var values: ObservationValues? {
            if let moment = times[.moment] {
                return ObservationValues(id: id, identifiers: identifiers, time: .moment(moment), number: number)
            }
            guard let start = times[.start], let end = times[.end], start.start() <= end.start() else { return nil }
            return ObservationValues(id: id, identifiers: identifiers, time: .period(start, end), number: number)
        }
    }
}
