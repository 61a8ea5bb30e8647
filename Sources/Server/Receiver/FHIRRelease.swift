import Foundation
import HTTPTypes
import ServerHTTP

/// A release of FHIR as media types name it: `application/fhir+json; fhirVersion=3.0`
/// (<https://hl7.org/fhir/R4/versioning.html#mt-version>). The receiver knows the names alone.
public enum FHIRRelease: String, Sendable, CaseIterable {
    case dstu2 = "1.0"
    case stu3 = "3.0"
    case r4 = "4.0"

    /// The number of the release's publication, as envelopes name it.
    var number: String {
        switch self {
        case .dstu2: "1.0.2"
        case .stu3: "3.0.2"
        case .r4: "4.0.1"
        }
    }

    /// The release that a media type names: by its `fhirVersion`, whole or in part (`3.0`, `3.0.1`), else by DSTU2's own name
    /// `application/json+fhir`; nil where it names none that is known here.
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

    /// The release of a number: two numbers, or three of which the last is that of a correction.
    private init?(number: String) {
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 || (parts.count == 3 && parts[2].count == 1 && parts[2].allSatisfy(\.isNumber)) else {
            return nil
        }
        self.init(rawValue: parts[0] + "." + parts[1])
    }

    /// The release that a reader asks for: of the media types in its `Accept` (RFC 9110 section 12.5.1) that name one, the
    /// first of those that it prefers.
    init?(accept fields: [String]) {
        let named = AcceptedValue.all(of: fields).compactMap { value in
            Self(mediaType: String(value.text)).map { (release: $0, weight: value.weight) }
        }
        guard let most = named.map(\.weight).max(), most > 0,
            let release = named.first(where: { $0.weight == most })?.release
        else { return nil }
        self = release
    }

    /// The media type of an answer in the release: of DSTU2 its own name, where that is the one that the reader takes.
    func mediaType(accepting fields: [String]) -> String {
        let takesOwn = fields.contains { $0.lowercased().contains(Self.mediaTypeOfDSTU2) }
        let name = self == .dstu2 && takesOwn ? Self.mediaTypeOfDSTU2 : "application/fhir+json"
        return "\(name); fhirVersion=\(rawValue)"
    }

    private static let mediaTypeOfDSTU2 = "application/json+fhir"
}
