import FHIR
import FHIRPath
import Foundation

/// One entry of the extracted Bundle (<https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry>).
struct ExtractedEntry {
    /// The resource; nil until it is complete, or if it is not extracted.
    var resource: JSONObject?
    /// The absolute address by which other entries refer to it.
    var fullURL: String
    /// The conditions of the request, such as `ifNoneExist`.
    var conditions: [JSONObject.Member] = []
    /// The location and the item, for problems.
    var location: String
    var linkID: String?

    /// The entry as JSON: PUT if the resource has an id, otherwise POST.
    var json: JSON? {
        guard let resource, let type = resource["resourceType"]?.string else { return nil }
        let id = resource["id"]?.string
        var request: JSON = [
            "method": .string(id == nil ? "POST" : "PUT"), "url": .string(id.map { "\(type)/\($0)" } ?? type),
        ]
        for condition in conditions { request[condition.key] = condition.value }
        return ["fullUrl": .string(fullURL), "resource": .object(resource), "request": request]
    }
}

/// The parts of `definitionExtract`, `templateExtract` and `observationExtractEntry` that set the entry.
struct EntryParts {
    var fullURL: String?
    var resourceID: String?
    var conditions: [JSONObject.Member] = []
}

extension ExtractionRun {
    /// Evaluates the parts of an extension that set the entry.
    mutating func parts(of source: Extension?, in scope: ExtractionScope) -> EntryParts {
        var parts = EntryParts()
        guard let source else { return parts }
        if let text = single(source, part: "fullUrl", as: "uri", in: scope)?.string {
            if let url = Self.absolute(text) {
                parts.fullURL = url
            } else {
                log.report(
                    "full-url-relative", at: scope.location, linkID: scope.linkID,
                    "The fullUrl must be an absolute URL or urn:uuid:; the entry has a new one.")
            }
        }
        parts.resourceID = single(source, part: "resourceId", as: "id", in: scope)?.string
        for (name, type) in Self.conditions {
            guard let value = single(source, part: name, as: type, in: scope) else { continue }
            parts.conditions.append(JSONObject.Member(key: name, value: value))
        }
        return parts
    }

    private static let conditions = [
        ("ifNoneMatch", "string"), ("ifModifiedSince", "instant"), ("ifMatch", "string"), ("ifNoneExist", "string"),
    ]

    /// Returns an absolute URL; a bare UUID becomes a URN.
    static func absolute(_ text: String) -> String? {
        if ["urn:uuid:", "urn:oid:", "http://", "https://"].contains(where: text.hasPrefix) { return text }
        return UUID(text: text) == nil ? nil : "urn:uuid:" + text.lowercased()
    }

    /// Returns the single value of one part.
    private mutating func single(
        _ source: Extension, part name: String, as type: String, in scope: ExtractionScope
    ) -> JSON? {
        guard let value = source.part(name) else { return nil }
        guard let text = Extension.fhirPath(value) else {
            log.report(
                "expression-language", at: scope.location, linkID: scope.linkID,
                "\(source.shortName).\(name) is not FHIRPath.")
            return nil
        }
        guard let found = evaluate(text, source.shortName + "." + name, in: scope), let first = found.first else {
            return nil
        }
        guard found.count == 1, let json = ElementConversion.json(first, as: TypeModel.r4.type(type) ?? .unknown)
        else {
            log.report(
                found.count == 1 ? "value-type" : "several-values", at: scope.location, linkID: scope.linkID,
                "\(source.shortName).\(name) needs one value of the type \(type).")
            return nil
        }
        return json
    }
}
