import Core
import FHIR
import Foundation
import Receiver

/// The Bundle of a search of published resources (<https://hl7.org/fhir/R4/bundle.html#searchset>). Its elements are
/// the same in DSTU2, STU3 and R4.
struct PublishedBundle {
    /// The search.
    let search: PublishedReading.Search
    /// The parameters that were used.
    let used: [(name: String, value: String)]
    /// The number of matches on all pages.
    let total: Int

    /// Returns the Bundle with a page of resources.
    ///
    /// - Parameter others: the number of further matches that are published only in other releases of FHIR.
    func json(of page: [(name: String, data: Data)], inOtherReleases others: Int) -> JSON {
        let shown = search.offset + page.count
        var links = [link("self", cursor: search.offset)]
        // A client that requests no entries gets only the number.
        let isLast = shown >= total || search.count == 0
        if !isLast { links.append(link("next", cursor: shown)) }
        var entries = page.compactMap { name, data in
            (try? JSON(data)).map { resource -> JSON in
                [
                    "fullUrl": .string("\(search.address)/\(search.type)/\(PercentEncoding.encode(name))"),
                    "resource": resource, "search": ["mode": "match"],
                ]
            }
        }
        if isLast, others > 0, search.count > 0 { entries.append(Self.outcome(others)) }
        var bundle = JSONObject()
        bundle["resourceType"] = "Bundle"
        bundle["type"] = "searchset"
        bundle["total"] = .number(JSONNumber(total))
        bundle["link"] = .array(links)
        if !entries.isEmpty { bundle["entry"] = .array(entries) }
        return .object(bundle)
    }

    private static func outcome(_ others: Int) -> JSON {
        let text = "\(others) more are published only in other releases of FHIR: name one by fhirVersion in Accept."
        return [
            "resource": [
                "resourceType": "OperationOutcome",
                "issue": [
                    [
                        "severity": "information", "code": "informational",
                        "details": ["text": "published-in-other-releases"], "diagnostics": .string(text),
                    ]
                ],
            ],
            "search": ["mode": "outcome"],
        ]
    }

    private func link(_ relation: String, cursor: Int) -> JSON {
        var fields = used + [("_count", String(search.count))]
        if cursor > 0 { fields.append(("_cursor", String(cursor))) }
        let query = fields.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
        return ["relation": .string(relation), "url": .string("\(search.address)/\(search.type)?\(query)")]
    }
}
