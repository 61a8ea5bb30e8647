import FHIR

/// A release of FHIR after R4, which is not supported, recognised by elements that only this release has.
public enum NewerRelease: String, Sendable, Hashable {
    /// R5, 5.0.0 (<https://hl7.org/fhir/R5/>).
    case r5 = "R5"

    /// Recognises the release of a form, a value set or another definition; nil if there is no sign of a newer release.
    public init?(of resource: Resource) {
        let object = resource.object
        // Elements of every definition of R5 (<https://hl7.org/fhir/R5/canonicalresource.html>).
        let elements = ["versionAlgorithmString", "versionAlgorithmCoding", "copyrightLabel"]
        let isOfR5 =
            elements.contains { object[$0] != nil }
            || resource.resourceType == "Questionnaire" && object["item"].map(Self.hasItemsOfR5) ?? false
        guard isOfR5 else { return nil }
        self = .r5
    }

    /// A sentence for the owner of such a resource.
    public var message: String {
        "It is written in FHIR \(rawValue), which is not supported: convert it to R4, or export it as R4."
    }

    /// <https://hl7.org/fhir/R5/questionnaire.html>
    private static func hasItemsOfR5(_ items: JSON) -> Bool {
        (items.array ?? []).contains { item in
            item["type"]?.string == "coding" || item["answerConstraint"] != nil || item["disabledDisplay"] != nil
                || item["item"].map(hasItemsOfR5) ?? false
        }
    }
}
