import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation

/// A validated request for an export (<https://hl7.org/fhir/uv/bulkdata/STU2/export.html>). Pure.
package struct ExportRequest: Sendable, Hashable {
    /// The level of an export.
    package enum Level: Sendable, Hashable {
        case system
        case patients
        case group(String)
    }

    package let level: Level
    /// The exported types; nil for all.
    package private(set) var types: Set<String>?
    /// In milliseconds since 1970.
    package private(set) var since: Int64?
    package private(set) var elements: String?
    /// The ids of patients; empty for all.
    package private(set) var patients: Set<String> = []
    /// The associated data; nil for none.
    private(set) var associated: AssociatedProvenance?
    /// The base URL of the request, without a final slash; empty where it is unknown.
    package let base: String
    /// Searches as written: `Observation?category=laboratory`.
    private(set) var typeFilters: [String] = []

    /// Maximum number of patients in a list.
    package static let maximumPatients = 10_000
    static let maximumTypeFilters = 50

    /// - Parameters:
    ///   - parameters: the parameters of the address and of the body.
    ///   - lenient: whether unknown and unsupported parameters are ignored (`Prefer: handling=lenient`).
    ///   - base: the base URL of the request, without a final slash; empty where it is unknown.
    /// - Throws: ``RecordsFailure``
    package init(
        _ level: Level, parameters: [(name: String, value: String)], lenient: Bool, base: String = ""
    ) throws(RecordsFailure) {
        (self.level, self.base) = (level, base)
        for (name, value) in parameters where !value.isEmpty {
            guard !value.utf8.contains(0) else { throw .invalid(name, "without zero bytes") }
            switch name {
            case "_outputFormat":
                // A plus sign that was not percent-encoded is decoded as a space.
                let isKnown = ["application/fhir+ndjson", "application/fhir ndjson", "application/ndjson", "ndjson"]
                guard isKnown.contains(value) else { throw .invalid("_outputFormat", "application/fhir+ndjson") }
            case "_since":
                guard let (start, _) = SearchText.range(value) else {
                    throw .invalid("_since", "an instant such as 2026-01-31T12:00:00Z")
                }
                since = Milliseconds.of(start.start())
            case "_type":
                let names = value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                let known = names.filter(RecordType.isHeld)
                guard lenient ? !known.isEmpty : known.count == names.count, !names.isEmpty else {
                    throw .invalid("_type", "names of resource types with commas between them")
                }
                types = (types ?? []).union(known)
            case "_elements":
                do throws(SearchConditionError) {
                    _ = try ElementSubset(value)
                } catch { throw RecordsFailure(error) }
                elements = elements.map { $0 + "," + value } ?? value
            case "_typeFilter":
                for filter in Self.typeFilters(value) {
                    guard typeFilters.count < Self.maximumTypeFilters else { throw .tooManyValues }
                    typeFilters.append(filter)
                }
            case "patient" where level != .system:
                for reference in value.split(separator: ",") {
                    guard let literal = LiteralReference(String(reference)), literal.type == Patient.resourceType,
                        literal.isLocal(to: ownBases)
                    else { throw .invalid("patient", "references to Patients of this server") }
                    patients.insert(literal.id)
                }
                guard patients.count <= Self.maximumPatients else { throw .tooManyValues }
            case "_format", "_pretty": continue
            case "includeAssociatedData":
                for name in value.split(separator: ",") {
                    guard let known = AssociatedProvenance(rawValue: name.trimmingCharacters(in: .whitespaces)) else {
                        guard lenient else {
                            throw .invalid(
                                "includeAssociatedData", "LatestProvenanceResources or RelevantProvenanceResources")
                        }
                        continue
                    }
                    // Of both, the one that includes the other.
                    associated = associated == .relevant ? .relevant : known
                }
            default:
                guard lenient else { throw .unknownParameter(name) }
            }
        }
    }

    /// The base URLs with which references to resources of this server may begin.
    package var ownBases: [String] { base.isEmpty ? [] : [base] }

    /// Splits a value into searches. A comma separates them where a type follows; elsewhere it is part of the search.
    private static func typeFilters(_ text: String) -> [String] {
        var filters: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            let head = part.prefix { $0 != "?" }
            if filters.isEmpty || (head.count < part.count && RecordType.isHeld(String(head))) {
                filters.append(part)
            } else {
                filters[filters.count - 1] += "," + part
            }
        }
        return filters
    }

    // MARK: - Stored form

    /// - Throws: ``RecordsFailure`` for a text that is not of the form of ``json``.
    package init(text: String) throws(RecordsFailure) {
        guard let json = JSON(reading: Array(text.utf8)), let level = json["level"]?.string else {
            throw .unavailable
        }
        func strings(_ name: String) -> [String] { json[name]?.array?.compactMap(\.string) ?? [] }
        switch level {
        case "system": self.level = .system
        case "patients": self.level = .patients
        default: self.level = .group(String(level.dropFirst()))
        }
        base = json["base"]?.string ?? ""
        types = json["types"] == nil ? nil : Set(strings("types"))
        since = json["since"]?.number.flatMap { Int64($0.text) }
        elements = json["elements"]?.string
        patients = Set(strings("patients"))
        typeFilters = strings("typeFilters")
        associated = json["associated"]?.string.flatMap(AssociatedProvenance.init)
    }

    /// The stored form of the request. The id of a Group has the prefix `/`, which no other level has.
    package var json: JSONObject {
        var object = JSONObject()
        switch level {
        case .system: object["level"] = "system"
        case .patients: object["level"] = "patients"
        case .group(let id): object["level"] = .string("/" + id)
        }
        if !base.isEmpty { object["base"] = .string(base) }
        func list(_ values: some Sequence<String>) -> JSON { .array(values.map { .string($0) }) }
        if let types { object["types"] = list(types.sorted()) }
        if let since { object["since"] = .number(JSONNumber(since)) }
        if let elements { object["elements"] = .string(elements) }
        if !patients.isEmpty { object["patients"] = list(patients.sorted()) }
        if !typeFilters.isEmpty { object["typeFilters"] = list(typeFilters) }
        if let associated { object["associated"] = .string(associated.rawValue) }
        return object
    }
}
