import Foundation
import HTTPTypes
import ServerHTTP

/// FHIR release of a media type: `application/fhir+json; fhirVersion=3.0`
/// (<https://hl7.org/fhir/R4/versioning.html#mt-version>). The receiver knows only these identifiers.
package enum FHIRRelease: String, Sendable, CaseIterable {
    case dstu2 = "1.0"
    case stu3 = "3.0"
    case r4 = "4.0"

    /// Version number of the release, as in envelopes.
    var number: String {
        switch self {
        case .dstu2: "1.0.2"
        case .stu3: "3.0.2"
        case .r4: "4.0.1"
        }
    }

    /// Creates the release of a media type: from its `fhirVersion` in short or long form (`3.0`, `3.0.1`), otherwise
    /// from DSTU2's own media type `application/json+fhir`; nil for any other.
    init?(mediaType: String) {
        let parts = mediaType.lowercased().split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        for part in parts.dropFirst() where part.hasPrefix("fhirversion=") {
            let named = part.dropFirst("fhirversion=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            guard let release = Self(number: named) else { continue }
            self = release
            return
        }
        guard parts.first == Self.mediaTypeOfDSTU2 else { return nil }
        self = .dstu2
    }

    /// Creates the release of a version number with two parts, or with a patch number as third part.
    private init?(number: String) {
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 || (parts.count == 3 && parts[2].count == 1 && parts[2].allSatisfy(\.isNumber)) else {
            return nil
        }
        self.init(rawValue: parts[0] + "." + parts[1])
    }

    /// Creates the release that a client requests: among the media types of its `Accept` (RFC 9110 section 12.5.1) with
    /// a release, the first one of the highest weight.
    init?(accept fields: [String]) {
        let named = AcceptedValue.all(of: fields).compactMap { value in
            Self(mediaType: String(value.text)).map { (release: $0, weight: value.weight) }
        }
        guard let highest = named.map(\.weight).max(), highest > 0,
            let release = named.first(where: { $0.weight == highest })?.release
        else { return nil }
        self = release
    }

    /// Returns the media type of a response in this release: for DSTU2 its own type if the client accepts it.
    func mediaType(accepting fields: [String]) -> String {
        let acceptsOwnType = fields.contains { $0.lowercased().contains(Self.mediaTypeOfDSTU2) }
        let name = self == .dstu2 && acceptsOwnType ? Self.mediaTypeOfDSTU2 : "application/fhir+json"
        return "\(name); fhirVersion=\(rawValue)"
    }

    private static let mediaTypeOfDSTU2 = "application/json+fhir"
}
