import FHIR

extension ConversionRule {
    /// Bundle: <https://hl7.org/fhir/R4/bundle.html#invs>.
    static let bundle: [String: Rule] = [
        "Bundle.entry.fullUrl": fullURL,
        "Bundle.entry.request.url": requestURL,
        "Bundle.entry.search": only(in: ["searchset"]),
        "Bundle.entry.request": only(in: BundleFinish.withRequests),
        "Bundle.entry.response": only(in: BundleFinish.withResponses),
    ]

    /// Returns the rule for an element that R4 allows only in some types of Bundles (bdl-2, bdl-3, bdl-4).
    private static func only(in types: Set<String>) -> Rule {
        { part, context, output, conversion in
            if let type = conversion.current["type"]?.string, !types.contains(type) {
                conversion.carry(part, in: context, into: &output)
            } else {
                conversion.keep(part, as: part.key, in: context, into: &output)
            }
        }
    }

    /// Removes the version from an entry's URL, where R4 does not allow it (bdl-8); it is in the resource's meta.
    private static let fullURL: Rule = { part, context, output, conversion in
        var part = part
        if let text = part.value?.string {
            let plain = text.components(before: "/_history/")
            if plain != text {
                part.value = .string(plain)
                conversion.addNote(
                    .changed, path: "Bundle.entry.fullUrl", detail: "R4 allows no version in it", at: part.trail)
            }
            if let url = conversion.entryURL(text) {
                part.value = .string(url)
                conversion.addNote(
                    .changed, path: "Bundle.entry.fullUrl", detail: "it has R4's name of the type", at: part.trail)
            }
        }
        conversion.keep(part, as: part.key, in: context, into: &output)
    }

    /// Renames the resource type at the beginning of a request's URL: `DiagnosticOrder/1`.
    private static let requestURL: Rule = { part, context, output, conversion in
        var part = part
        if let text = part.value?.string, let newer = ResourceNames.renamed(url: text, in: conversion.source) {
            part.value = .string(newer.text)
            conversion.addNote(
                .changed, path: "Bundle.entry.request.url", detail: "R4's name is \(newer.type)", at: part.trail)
        }
        conversion.keep(part, as: part.key, in: context, into: &output)
    }
}

extension String {
    /// Returns the text before a mark; the whole text if it does not contain the mark.
    func components(before mark: String) -> String {
        firstRange(of: mark).map { String(self[..<$0.lowerBound]) } ?? self
    }
}
