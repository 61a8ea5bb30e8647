import AccessPolicy
import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation

/// A page of all resources about a patient (<https://hl7.org/fhir/R4/patient-operation-everything.html>).
struct EverythingPage: Sendable {
    /// The cursor between two records.
    struct RecordCursor: Sendable, Hashable {
        let type: String
        /// The number of the last record before the cursor.
        let number: Int64

        init(type: String, number: Int64) {
            self.type = type
            self.number = number
        }

        /// Reads a cursor; nil where the text is not one.
        init?(_ text: String) {
            guard let mark = text.firstIndex(of: "."),
                let number = Cursor.number(String(text[text.index(after: mark)...]))
            else { return nil }
            type = String(text[..<mark])
            self.number = number
            guard RecordType.isHeld(type) else { return nil }
        }

        var text: String { type + "." + Cursor.text(number) }
    }

    let count: Int
    let after: RecordCursor?
    /// The types on the page; nil for all.
    let types: Set<String>?
    /// Only resources that changed at this instant or later, in milliseconds since 1970.
    let since: Int64?
    /// Only resources with a time of care in this range, or without one: from the first millisecond, before the second.
    let time: (low: Int64, high: Int64)?
    /// The applied parameters, for the links.
    let used: [(name: String, value: String)]
    /// The unknown parameters that were ignored.
    let ignored: [String]

    /// - Parameter strict: whether an unknown parameter is an error (`Prefer: handling=strict`).
    /// - Throws: ``RecordsFailure`` for an invalid value.
    init(_ parameters: [(name: String, value: String)], strict: Bool) throws {
        var types: Set<String>?
        var since: Int64?
        var (low, high): (Int64?, Int64?)
        let page = try PageQuery(parameters, strict: strict, cursor: RecordCursor.init(_:)) { name, value in
            switch name {
            case "_type": types = try (types ?? []).union(PageParameters.types(value))
            case "_since": since = try Self.range("_since", value).low
            case "start": low = try Self.range("start", value).low
            case "end": high = try Self.range("end", value).high
            default: return false
            }
            return true
        }
        (count, after, used, ignored) = (page.count, page.cursor, page.used, page.ignored)
        (self.types, self.since) = (types, since)
        time = low == nil && high == nil ? nil : (low ?? .min, high ?? .max)
    }

    /// Whether the page may contain resources of a type.
    func takes(_ type: String) -> Bool { types?.contains(type) ?? true }

    /// Whether the page may contain referenced resources that do not belong to the patient.
    var takesReferred: Bool { types?.contains(where: Self.isReferred) ?? true }

    /// Whether resources of a type are included because others refer to them: shared resources, and the Binaries of
    /// attachments.
    static func isReferred(_ type: String) -> Bool {
        RecordFilter.sharedTypes.contains(type) || type == binary
    }

    static let binary = "Binary"

    private static func range(_ name: String, _ text: String) throws -> (low: Int64, high: Int64) {
        try PageParameters.range(name, text, example: "2026-01-31")
    }
}
