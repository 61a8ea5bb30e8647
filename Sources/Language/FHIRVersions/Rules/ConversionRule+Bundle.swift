import FHIR

extension ConversionRule {
    /// Bundle: <https://hl7.org/fhir/R4/bundle.html#invs>.
    static let bundle: [String: Rule] = [
        "Bundle.entry.fullUrl": fullURL,
        "Bundle.entry.search": only(in: ["searchset"]),
        "Bundle.entry.request": only(in: BundleFinish.withRequests),
        "Bundle.entry.response": only(in: BundleFinish.withResponses),
    ]

    /// R4 allows the element in some types of Bundles (bdl-2, bdl-3, bdl-4).
    private static func only(in types: Set<String>) -> Rule {
        { part, place, output, conversion in
            if let type = conversion.current["type"]?.string, !types.contains(type) {
                conversion.carry(part, place, &output)
            } else {
                conversion.keep(part, as: part.key, place, &output)
            }
        }
    }

    /// R4 allows no version in the URL of an entry (bdl-8): the resource's meta says it.
    private static let fullURL: Rule = { part, place, output, conversion in
        var part = part
        if let text = part.value?.string, let range = text.firstRange(of: "/_history/") {
            part.value = .string(String(text[..<range.lowerBound]))
            conversion.note(.changed, "Bundle.entry.fullUrl", "R4 allows no version in it", part.trail)
        }
        conversion.keep(part, as: part.key, place, &output)
    }
}
