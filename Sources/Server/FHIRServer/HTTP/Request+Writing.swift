import Core
import FHIR
import FHIRHTTP
import FHIRPatch
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP

/// The content of the response to a write (<https://hl7.org/fhir/R4/http.html#ops>).
package enum ReturnPreference: String, Sendable {
    case minimal
    case representation
    case outcome = "operationoutcome"
}

/// The headers of a write request.
extension Request {
    /// The `return` preference; the resource by default.
    var returnPreference: ReturnPreference {
        let asked = headers[values: .prefer].lazy.flatMap { $0.lowercased().split { $0 == "," || $0 == ";" } }
            .map { $0.filter { !$0.isWhitespace } }.first { $0.hasPrefix("return=") }
        return asked.flatMap { ReturnPreference(rawValue: String($0.dropFirst("return=".count))) } ?? .representation
    }

    /// The parameters of the address that identify the target.
    package var criteria: WriteRequest.Criteria {
        get throws(RecordsFailure) {
            try searchParameters.filter { !["_format", "_pretty"].contains($0.name) }
        }
    }

    /// The criteria of a conditional create (<https://hl7.org/fhir/R4/http.html#ccreate>); nil where there are none.
    /// Some clients write them into the address.
    ///
    /// - Throws: ``RecordsFailure`` where the header is empty.
    var ifNoneExist: WriteRequest.Criteria? {
        get throws(RecordsFailure) {
            if let header = headers[.ifNoneExist] { return try WriteRequest.criteria(header) }
            let criteria = try criteria
            return criteria.isEmpty ? nil : criteria
        }
    }

    /// The versions in `If-Match`; nil where there is none.
    var versionWanted: VersionCondition? {
        get throws(RecordsFailure) { try WriteRequest.condition(headers[.ifMatch]) }
    }

    /// The versions in `If-None-Match`; nil where there is none.
    var versionUnwanted: VersionCondition? {
        get throws(RecordsFailure) { try WriteRequest.condition(headers[.ifNoneMatch]) }
    }
}

extension WriteRequest {
    /// Reads the criteria of `If-None-Exist`: `identifier=a|b`, optionally after a question mark.
    ///
    /// - Throws: ``RecordsFailure`` where they are empty or wrongly encoded.
    static func criteria(_ text: String) throws(RecordsFailure) -> Criteria {
        let query = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        guard let fields = PercentEncoding.fields(query) else { throw .invalid("If-None-Exist", "a query") }
        guard !fields.isEmpty else { throw .criteriaMissing }
        return fields
    }

    /// Reads a header with version tags; nil without one.
    ///
    /// - Throws: ``RecordsFailure`` for an invalid tag.
    static func condition(_ text: String?) throws(RecordsFailure) -> VersionCondition? {
        guard let text else { return nil }
        guard let condition = VersionCondition(text) else { throw .versionTagInvalid }
        return condition
    }
}

extension ResourcePatch {
    /// The media types of patches that are not resources.
    static let ownMediaTypes = ["application/json-patch+json", "application/merge-patch+json"]

    /// Reads a patch by its media type. As `application/json` an array is a JSON Patch, Parameters are a FHIRPath
    /// Patch, and any other object is a merge patch.
    ///
    /// - Throws: ``RecordsFailure``
    init(_ bytes: Data, mediaType: String?) throws(RecordsFailure) {
        if let mediaType, mediaType.hasSuffix("xml"), let format = FHIRFormat(name: mediaType) {
            let resource = try format.resource(bytes)
            do throws(PatchError) { self = .fhirPath(try FHIRPathPatch(resource)) } catch {
                throw RecordsFailure(error)
            }
            return
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(bytes) } catch { throw RecordsFailure(ResourceError.notJSON(error)) }
        do throws(PatchError) {
            switch mediaType {
            case "application/json-patch+json": self = .json(try JSONPatch(json))
            case "application/merge-patch+json": self = .merge(try MergePatch(json))
            case "application/fhir+json":
                guard let object = json.object else { throw .invalid("A FHIRPath Patch is a Parameters resource.") }
                self = .fhirPath(try FHIRPathPatch(Resource(object)))
            case "application/json", nil:
                if let object = json.object, object["resourceType"]?.string == Parameters.resourceType {
                    self = .fhirPath(try FHIRPathPatch(Resource(object)))
                    return
                }
                self = json.array == nil ? .merge(try MergePatch(json)) : .json(try JSONPatch(json))
            default: throw PatchError(code: "media-type-unknown", message: "")
            }
        } catch {
            throw error.code == "media-type-unknown" ? .formUnknown : RecordsFailure(error)
        }
    }
}

extension HTTPField.Name {
    /// RFC 7240.
    package static let prefer = HTTPField.Name(validated: "Prefer")
    /// <https://hl7.org/fhir/R4/http.html#ccreate>
    package static let ifNoneExist = HTTPField.Name(validated: "If-None-Exist")
}
