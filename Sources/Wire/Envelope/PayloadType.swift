/// The type of an envelope's payload: the header `cty`.
public enum PayloadType: String, Sendable, Hashable, CaseIterable {
    /// One resource as JSON.
    case resource = "application/fhir+json"
    /// Several resources, one per line.
    case batch = "application/fhir+ndjson"
    /// A link to the record of an identified person, which the site gave to the participant (``LinkToken``).
    case link = "application/jwt"
    /// A JWS of the device (RFC 7515 section 9.2.1), which contains one of the others.
    case signed = "application/jose"

    /// Reads a `cty` header. A sender may omit the prefix `application/` (RFC 7516 section 4.1.12). Parameters and case
    /// are ignored. `nil` for another type.
    public init?(header: String) {
        let essence = header.prefix { $0 != ";" }.trimmingSpaces().lowercased()
        self.init(rawValue: essence.contains("/") ? essence : "application/" + essence)
    }
}

extension Substring {
    /// The text without the spaces and tabs at both ends.
    fileprivate func trimmingSpaces() -> Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
        return text
    }
}
