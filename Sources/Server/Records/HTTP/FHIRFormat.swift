import Core
import FHIR
import FHIRXML
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP

/// The form that a resource is sent in (<https://hl7.org/fhir/R4/http.html#mime-type>).
enum FHIRFormat: Sendable {
    case json
    case xml

    /// The format that a media type, or a value of `_format`, names; nil for one that is not served.
    init?(name: some StringProtocol) {
        switch name {
        // The plus sign of a media type is a space where it was not escaped.
        case "json", "application/json", "text/json", "application/fhir+json", "application/fhir json": self = .json
        case "xml", "application/xml", "text/xml", "application/fhir+xml", "application/fhir xml": self = .xml
        default: return nil
        }
    }

    /// The media type of answers.
    var mediaType: String {
        switch self {
        case .json: "application/fhir+json; charset=utf-8"
        case .xml: "application/fhir+xml; charset=utf-8"
        }
    }

    /// A resource's bytes.
    ///
    /// - Throws: ``RecordsFailure`` `format-impossible` where the format has no place for something in it.
    func bytes(of json: JSON) throws(RecordsFailure) -> [UInt8] {
        switch self {
        case .json: return json.bytes()
        case .xml:
            do throws(FHIRXMLError) { return try ResourceXML.write(json) } catch {
                throw .formatImpossible
            }
        }
    }

    /// The resource in a body.
    ///
    /// - Throws: ``RecordsFailure`` where it is none.
    func resource(_ bytes: Data) throws(RecordsFailure) -> Resource {
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
            // By the same way as what comes as JSON, so that it is held to the same bounds.
            do throws(ResourceError) { return try Resource(JSON.object(object).data()) } catch {
                throw RecordsFailure(error)
            }
        }
    }
}

extension Request {
    /// The format that the client takes: `_format` overrides the header, and of several the one is served that it likes
    /// best, JSON where it says nothing; nil where it takes none that is served.
    var acceptedFormat: FHIRFormat? {
        if uri.query != nil, let format = queryForm?["_format"], !format.isEmpty {
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

    /// The format of an answer that is sent in any case: what the client does not take is told as JSON.
    var answerFormat: FHIRFormat { acceptedFormat ?? .json }

    /// The format of the body, by what it is said to be; nil where that is no resource's.
    var bodyFormat: FHIRFormat? { bodyType.map { FHIRFormat(name: $0) } ?? .json }
}
