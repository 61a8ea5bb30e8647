import Core
import FHIR
import FHIRXML
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP

/// The format of a resource (<https://hl7.org/fhir/R4/http.html#mime-type>).
package enum FHIRFormat: Sendable {
    case json
    case xml

    /// Reads a media type, or a value of `_format`; nil for a format that is not supported.
    package init?(name: some StringProtocol) {
        switch name {
        // The plus sign of a media type is decoded as a space where it was not percent-encoded.
        case "json", "application/json", "text/json", "application/fhir+json", "application/fhir json": self = .json
        case "xml", "application/xml", "text/xml", "application/fhir+xml", "application/fhir xml": self = .xml
        default: return nil
        }
    }

    /// The media type of responses.
    package var mediaType: String {
        switch self {
        case .json: "application/fhir+json; charset=utf-8"
        case .xml: "application/fhir+xml; charset=utf-8"
        }
    }

    /// Returns the bytes of a resource.
    ///
    /// - Throws: ``RecordsFailure`` `format-impossible` where the format cannot represent something in it.
    package func bytes(of json: JSON) throws(RecordsFailure) -> [UInt8] {
        switch self {
        case .json: return json.bytes()
        case .xml:
            do throws(FHIRXMLError) { return try ResourceXML.write(json) } catch {
                throw .formatImpossible
            }
        }
    }

    /// Reads the resource in a body.
    ///
    /// - Throws: ``RecordsFailure`` where the body is not a resource.
    package func resource(_ bytes: Data) throws(RecordsFailure) -> Resource {
        switch self {
        case .json:
            do throws(ResourceError) { return try Resource(bytes) } catch { throw RecordsFailure(error) }
        case .xml:
            let json: JSON
            do throws(FHIRXMLError) { json = try ResourceXML.read(bytes) } catch {
                throw RecordsFailure(
                    status: .badRequest, issue: .structure, code: error.code,
                    message: "The body is not a resource in FHIR's XML"
                        + (error.line.map { " (line \($0))." } ?? "."))
            }
            guard let object = json.object else { throw .bodyMissing }
            // Parsed again as JSON, so that the same limits apply.
            do throws(ResourceError) { return try Resource(JSON.object(object).data()) } catch {
                throw RecordsFailure(error)
            }
        }
    }
}

extension Request {
    /// The accepted format with the highest weight; `_format` overrides the header. JSON without a header; nil where no
    /// accepted format is supported.
    package var acceptedFormat: FHIRFormat? {
        // The name can be percent-encoded. Other queries are not read for it.
        if let query = uri.query, query.utf8.contains(UInt8(ascii: "%")) || query.contains("_format"),
            let format = queryForm?["_format"], !format.isEmpty
        {
            return FHIRFormat(name: AcceptedValue(Substring(format)).name)
        }
        let accepted = AcceptedValue.all(of: headers[values: .accept])
        guard !accepted.isEmpty else { return .json }
        var best: (format: FHIRFormat, weight: Double)?
        for value in accepted where value.weight > (best?.weight ?? 0) {
            let isAny = ["application/*", "*/*", "*"].contains(value.name)
            guard let format = isAny ? .json : FHIRFormat(name: value.name) else { continue }
            best = (format, value.weight)
        }
        return best?.format
    }

    /// The format of a response; JSON where no accepted format is supported.
    package var answerFormat: FHIRFormat { acceptedFormat ?? .json }

    /// The media type of the body, without parameters; nil where there is none.
    package var bodyType: String? {
        headers[.contentType].map {
            $0.lowercased().prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        }
    }

    /// The format of the body by its media type; nil where that is not the type of a resource.
    package var bodyFormat: FHIRFormat? { bodyType.map { FHIRFormat(name: $0) } ?? .json }
}
